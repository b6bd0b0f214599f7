// Unsaved drafts of settings.
import type { Option } from '#shared/options.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import { isMapSetting, isSecret, isSettingKey, mapChanges, parseMap, settingProblem, type SettingKey } from '#shared/settings.ts';
import type { SettingProblem } from '#shared/setting-values.ts';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import { isPriceKey, mapsOf, type PriceChange, priceChanges, type PriceKey } from './price-rows.ts';
import { isSameValue } from './setting-texts.ts';

export interface Draft {
  text: string;
  /** What the editor saw when the typing began. */
  base: OptionState;
}
export type Drafts = ReadonlyMap<SettingKey, Draft>;

/**
 * Drafts after the user typed `text`. `shown` is the field's value without a draft: the server's, or that of an edit that waits to be sent.
 * With that value the draft is removed. Undefined: another value is being saved.
 */
export function typed(drafts: Drafts, edit: { key: SettingKey; text: string; shown: string | undefined; option: Option }): Drafts {
  const next = new Map(drafts);
  // The value of a secret is unknown: any typed text replaces it.
  if (!isSecret(edit.key) && edit.shown !== undefined && isSameValue(edit.key, edit.text, edit.shown)) next.delete(edit.key);
  else {
    const { value, revision } = edit.option;
    next.set(edit.key, { text: edit.text, base: drafts.get(edit.key)?.base ?? { value, revision } });
  }
  return next;
}

/** The drafts after `sent` were saved or queued: what was typed since then stays, as an edit of that. */
export function afterSave(drafts: Drafts, sent: Drafts, saved: readonly Option[] = []): Drafts {
  const byKey = new Map(saved.map((option) => [option.key, option]));
  return new Map(
    [...drafts].flatMap(([key, draft]): [SettingKey, Draft][] => {
      const before = sent.get(key);
      if (before === undefined) return [[key, draft]];
      if (before.text === draft.text) return [];
      const { value, revision } = byKey.get(key) ?? { value: before.text, revision: draft.base.revision };
      return [[key, { text: draft.text, base: { value, revision } }]];
    }),
  );
}

/** Whether prices are among them: those are never saved unseen. */
export function isPriceEdit(drafts: Drafts): boolean {
  return [...drafts.keys()].some(isPriceKey);
}

/** Why drafts cannot be saved, by key. */
export function draftProblems(drafts: Drafts): Map<SettingKey, SettingProblem> {
  const problems = new Map<SettingKey, SettingProblem>();
  for (const [key, { text }] of drafts) {
    const problem = settingProblem(key, text);
    if (problem !== undefined) problems.set(key, problem);
  }
  return problems;
}

/** The body of the one call that saves them: only what was changed, each with the revision it began from. */
export function batchBody(drafts: Drafts): { options: { key: SettingKey; value: string; revision: number }[] } {
  return { options: [...drafts].map(([key, { text, base }]) => ({ key, value: text, revision: base.revision })) };
}

/** Drafts whose setting has another value by now than when the typing began, with what it has. */
export function overtaken(drafts: Drafts, options: readonly Option[]): Map<SettingKey, OptionState> {
  const conflicts = new Map<SettingKey, OptionState>();
  for (const { key, value, revision, updated_by: changedBy, updated_at: changedAt } of options) {
    if (!isSettingKey(key)) continue;
    const draft = drafts.get(key);
    if (draft === undefined || revision === draft.base.revision) continue;
    const isSame = isSameValue(key, value, draft.base.value) || isSameValue(key, value, draft.text);
    if (isSame && !isSecret(key)) continue;
    conflicts.set(key, {
      value,
      revision,
      changedBy,
      changedAt,
    });
  }
  return conflicts;
}

/** Drafts that can be sent: those without a conflict, on the newest revision. */
export function rebased(drafts: Drafts, options: readonly Option[]): Drafts {
  const byKey = new Map(options.map((option) => [option.key, option]));
  return new Map(
    [...drafts].map(([key, draft]): [SettingKey, Draft] => {
      const now = byKey.get(key);
      const isSame = now !== undefined && !isSecret(key) && isSameValue(key, now.value, draft.base.value);
      return [key, isSame ? { ...draft, base: { value: now.value, revision: now.revision } } : draft];
    }),
  );
}

/** Secrets do not wait on a device: they go out at once, or stay in the form. */
export function withoutSecrets(drafts: Drafts): Drafts {
  return new Map([...drafts].filter(([key]) => !isSecret(key)));
}

/**
 * How many values would change: of a map, its entries; of prices, what calls cost. The same number wherever changes are counted; 0:
 * there are no drafts.
 */
export function changesOf(drafts: Drafts, options: readonly Option[]): number {
  let count = 0;
  const prices = [...drafts.keys()].filter(isPriceKey);
  const changedPrices = prices.length === 0 ? undefined : draftedPrices(drafts, options);
  for (const [key, { text, base }] of drafts) {
    if (changedPrices !== undefined && isPriceKey(key)) continue;
    const [from, to] = isMapSetting(key) ? [parseMap(base.value), parseMap(text)] : [null, null];
    count += from === null || to === null ? 1 : Math.max(1, mapChanges(from, to).length);
  }
  const fields = changedPrices?.reduce((sum, change) => sum + change.fields.length, 0);
  return count + (fields === undefined ? 0 : Math.max(1, fields));
}

/** Undefined while one of the maps is none. */
function draftedPrices(drafts: Drafts, options: readonly Option[]): PriceChange[] | undefined {
  const savedText = (key: PriceKey): string => options.find((option) => option.key === key)?.value ?? '{}';
  const saved = mapsOf((key) => drafts.get(key)?.base.value ?? savedText(key));
  const maps = mapsOf((key) => drafts.get(key)?.text ?? savedText(key));
  return saved === undefined || maps === undefined ? undefined : priceChanges(saved, maps, defaultQuotaPerUnit);
}
