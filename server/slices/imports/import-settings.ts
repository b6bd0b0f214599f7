// Stores the source's settings where none are set here.
import { isSecret, type SettingKey, settingRequirements, settings } from '#shared/settings.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { isManagedSetting } from '#server/settings/managed-entries.ts';
import { editOptions } from '#server/settings/option-writes.ts';
import { optionText } from '#server/settings/settings.ts';
import type { ImportJob } from './import-job.ts';
import { noMoney } from './mapped-row.ts';
import { mergedText, type NamesHere } from './merge-setting.ts';
import type { MappedSetting } from './newapi/map-settings.ts';
import type { Outcome } from './report.ts';

/** Settings with an address that a provider or a payer calls. */
const paymentSettings: ReadonlySet<string> = new Set(['PayAddress', 'EpayId', 'EpayKey']);

export async function importSettings(job: ImportJob): Promise<void> {
  const { context, program, options, report } = job;
  if (options.without_settings) return;
  const wanted = program.settings;
  const rows = new Map(
    (await context.db.collection('options').find({ id: { in: wanted.map(({ key }) => key) } })).map((row) => [row.id, row]),
  );
  const chosen: (MappedSetting & { outcome: 'added' | 'changed' })[] = [];
  const judged = wanted.map((setting) => ({ setting, outcome: outcomeOf(job, setting, rows.get(setting.key)) }));
  const names = namesHere(job, new Set(judged.filter(({ outcome }) => outcome !== 'left').map(({ setting: { key } }) => key)));
  for (const { setting, outcome } of judged) {
    const merged = outcome === 'left' ? mergedHere(job, setting, { row: rows.get(setting.key), names }) : undefined;
    report.row('setting', { money: noMoney }, merged === undefined ? outcome : 'changed');
    if (merged !== undefined) {
      chosen.push({ ...setting, text: merged, outcome: 'changed' });
      report.note('changed', 'setting', setting.key, { reason: 'setting_merged' });
      continue;
    }
    if (outcome === 'left') report.note('left', 'setting', setting.key, { reason: 'setting_kept' });
    if (outcome === 'added' || outcome === 'changed') {
      chosen.push({ ...setting, outcome });
      if (paymentSettings.has(setting.key)) report.note('changed', 'setting', setting.key, { reason: 'setting_payment' });
    }
  }
  const complete = withNeeds(job, chosen);
  if (!job.isDry && complete.length > 0) {
    await editOptions(context, {
      keys: complete.map(({ key }) => key),
      actorId: 0,
      plan: () =>
        complete.map(({ key, text }) => ({
          id: key,
          value: isSecret(key) && text !== '' ? context.secrets.encrypt(text, 'setting') : text,
        })),
    });
    await context.settings.reload();
  }
  await job.onRows('setting', wanted.length);
}

/** Models and groups that have values here, unless the setting that has them is replaced. */
function namesHere({ context: { settings: here } }: ImportJob, replaced: ReadonlySet<SettingKey>): NamesHere {
  const namesOf = (key: 'ModelRatio' | 'ModelPrice' | 'GroupRatio') => (replaced.has(key) ? [] : Object.keys(here.get(key)));
  return { models: new Set([...namesOf('ModelRatio'), ...namesOf('ModelPrice')]), groups: new Set(namesOf('GroupRatio')) };
}

/** Text of a map that has other values here, with the entries that are new. */
function mergedHere(
  { context }: ImportJob,
  setting: MappedSetting,
  { row, names }: { row: OptionRecord | undefined; names: NamesHere },
): string | undefined {
  if (row === undefined || isManagedSetting(context.settings.managed, setting.key)) return undefined;
  const stored = readable(() => optionText(row, context.secrets));
  return stored === undefined ? undefined : mergedText(setting, stored, names);
}

function outcomeOf({ context, options }: ImportJob, { key, text }: MappedSetting, row: OptionRecord | undefined): Outcome {
  // Written by the file, which would be applied again.
  if (isManagedSetting(context.settings.managed, key)) return 'left';
  if (row === undefined) return isSame(key, text, defaultText(key)) ? 'same' : 'added';
  const stored = readable(() => optionText(row, context.secrets));
  if (stored !== undefined && isSame(key, text, stored)) return 'same';
  const isDefault = stored !== undefined && isSame(key, stored, defaultText(key));
  return isDefault || options.replaces_settings ? 'changed' : 'left';
}

function isSame(key: SettingKey, one: string, other: string): boolean {
  if (one === other) return true;
  const [left, right] = [one, other].map((text) => settings[key].parse(text, key));
  return left?.ok === true && right?.ok === true && JSON.stringify(left.value) === JSON.stringify(right.value);
}

/** Drops what needs another setting that is set neither here nor there. */
function withNeeds({ context, report }: ImportJob, chosen: readonly (MappedSetting & { outcome: 'added' | 'changed' })[]): MappedSetting[] {
  const texts = new Map(chosen.map(({ key, text }) => [key, text]));
  const isOn = (key: SettingKey): boolean => {
    const text = texts.get(key);
    const parsed = text === undefined ? undefined : settings[key].parse(text, key);
    const value: unknown = parsed === undefined ? context.settings.get(key) : parsed.ok ? parsed.value : '';
    return Array.isArray(value) ? value.length > 0 : value !== false && value !== '';
  };
  return chosen.filter(({ key, outcome }) => {
    const missing = isOn(key) ? settingRequirements.find((one) => one.key === key && !isOn(one.needs)) : undefined;
    if (missing !== undefined) {
      report.refuse('setting', { money: noMoney }, outcome);
      report.note('left', 'setting', key, { reason: 'setting_needs', detail: missing.needs });
    }
    return missing === undefined;
  });
}

function readable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
