import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import type { SettingChange } from '#shared/log-event.ts';
import type { Option } from '#shared/options.ts';
import {
  isSecret,
  isSettingKey,
  mayWriteSetting,
  type SettingKey,
  settingProblem,
  settingRequirements,
  settings,
} from '#shared/settings.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { groupMovesKey, groupMovesOf, movingError, namingSettings } from '#server/settings/group-moves.ts';
import { checkGroupsStored } from '#server/settings/group-uses.ts';
import { managedEntriesKey } from '#server/settings/managed-entries.ts';
import type { SaveReason } from '#server/settings/option-changes.ts';
import { editOptions, type OptionEdit as StoredEdit } from '#server/settings/option-writes.ts';
import { optionText } from '#server/settings/settings.ts';
import { presentOptions } from './present-option.ts';

export interface OptionEdit {
  key: string;
  /** Absent: nothing is changed. Old clients send some keys so. */
  value?: string | undefined;
  revision?: number | undefined;
  removes_groups?: boolean | undefined;
}

interface Change {
  key: SettingKey;
  text: string;
  revision: number | undefined;
}

interface SaveOptions {
  actor: Saver;
  reason?: SaveReason;
  conflictData(current: Option[]): unknown;
  /** Checks everything and stores nothing. */
  isDry?: boolean;
  /** Rows that are stored together with the edits, computed from the current ones. They are no settings. */
  also?(current: Rows): StoredEdit[];
}

type Rows = ReadonlyMap<string, OptionRecord>;
/** Who saves; id 0: a job. */
type Saver = Pick<UserRecord, 'id' | 'username' | 'role'>;

/**
 * Stores all of the edits or none, and answers the options as they are then, one per edit.
 * @throws {AppError} for unknown keys, missing rights, wrong values; `group_in_use`, `group_moving`; `revision_conflict` with `data` made by `conflictData`
 */
export async function saveOptions(
  context: AppContext,
  edits: readonly OptionEdit[],
  { actor, reason, conflictData, isDry = false, also = () => [] }: SaveOptions,
): Promise<Option[]> {
  const changes = checkEdits(edits, actor.role);
  const keys = edits.map((edit) => edit.key);
  await checkGroups(context, edits, changes);
  const needed = settingRequirements.flatMap(({ key, needs }) => [key, needs]);
  let effective: Change[] = [];
  const check = (current: Rows): void => {
    checkRequirements(effective, current, context);
    checkNoMove(effective, current);
  };
  const {
    rows,
    written,
    changes: stored,
    conflicts,
  } = await editOptions(context, {
    keys: [...keys, ...needed, groupMovesKey, managedEntriesKey],
    actorId: actor.id,
    reason,
    plan(current) {
      // Who repeats an edit that has arrived already, because its answer was lost, is in no conflict.
      effective = changes.filter((change) => textOf(change.key, current, context) !== change.text);
      if (isDry) {
        check(current);
        return [];
      }
      const own = effective.map(({ key, text, revision }) => ({
        id: key,
        value: isSecret(key) && text !== '' ? context.secrets.encrypt(text, 'setting') : text,
        revision,
      }));
      return [...own, ...also(current)];
    },
    check,
  });
  const [conflict] = conflicts;
  if (conflict !== undefined) {
    const options = await presentOptions(context, conflicts.filter(isSettingKey), rows);
    throw new AppError('revision_conflict', {}, { data: conflictData(options), field: conflict });
  }
  const saved = written.filter((row) => isSettingKey(row.id));
  if (saved.length > 0 && actor.id !== 0) await writeEvent(context, { written: saved, changes: stored }, actor);
  return presentOptions(context, keys.filter(isSettingKey), rows);
}

/** What is to be changed: known keys with a value, the last one of each. */
function checkEdits(edits: readonly OptionEdit[], role: number): Change[] {
  const changes = new Map<SettingKey, Change>();
  for (const { key, value, revision } of edits) {
    if (!isSettingKey(key)) throw new AppError('option_unknown', { key: key.slice(0, 80) }, { field: key.slice(0, 80) });
    if (value === undefined) continue;
    if (!mayWriteSetting(key, role)) throw new AppError('option_denied', { key }, { field: key });
    const problem = settingProblem(key, value);
    if (problem !== undefined) throw new AppError(problem.code, problem.details, { field: key });
    const parsed = settings[key].parse(value, key);
    // Clients compare switches with `true` and `false`.
    const text = parsed.ok && typeof parsed.value === 'boolean' ? String(parsed.value) : isPlain(key) ? value.trim() : value;
    changes.set(key, { key, text, revision });
  }
  return [...changes.values()];
}

/** What is in a group is not left behind silently, as by a text that was typed whole. */
async function checkGroups(context: AppContext, edits: readonly OptionEdit[], changes: readonly Change[]): Promise<void> {
  const change = changes.find(({ key }) => key === 'GroupRatio');
  const isIntended = edits.some((edit) => edit.key === 'GroupRatio' && edit.removes_groups === true);
  if (change !== undefined && !isIntended) await checkGroupsStored(context, change.text, { field: change.key });
}

/** A group that moves has both of its names in these until it has arrived. */
function checkNoMove(changes: readonly Change[], rows: Rows): void {
  const { running } = groupMovesOf(rows.get(groupMovesKey));
  if (running !== null && changes.some(({ key }) => namingSettings.includes(key))) throw movingError(running);
}

/** Blanks around these mean nothing. */
function isPlain(key: SettingKey): boolean {
  return ['integer', 'number', 'choice', 'text', 'url'].includes(settings[key].kind);
}

/** What is turned on or filled in needs what it needs, as that is after all changes; nor is that taken away from what stays on. */
function checkRequirements(changes: readonly Change[], rows: Rows, context: AppContext): void {
  const changed = new Map(changes.map(({ key, text }) => [key, text]));
  const willBeSet = (key: SettingKey): boolean => isSet(key, changed.get(key) ?? textOf(key, rows, context));
  for (const { key, needs, code } of settingRequirements) {
    if ((!changed.has(key) && !changed.has(needs)) || !willBeSet(key) || willBeSet(needs)) continue;
    throw changed.has(key) ? new AppError(code, {}, { field: key }) : new AppError('setting_in_use', { key }, { field: needs });
  }
}

/** A switch that is on, a list with entries, a text that is not empty. */
function isSet(key: SettingKey, text: string): boolean {
  const parsed = settings[key].parse(text, key);
  if (!parsed.ok || parsed.value === false) return false;
  return Array.isArray(parsed.value) ? parsed.value.length > 0 : parsed.value !== '';
}

function textOf(key: SettingKey, rows: Rows, context: AppContext): string {
  const row = rows.get(key);
  if (row === undefined) return defaultText(key);
  try {
    return optionText(row, context.secrets);
  } catch (cause) {
    context.log.warn({ option: key, err: cause }, 'a stored secret cannot be read');
    return '';
  }
}

interface Written {
  written: readonly OptionRecord[];
  changes: readonly OptionChangeRecord[];
}

async function writeEvent(context: AppContext, { written, changes }: Written, actor: Saver): Promise<void> {
  const keys = written.map((row) => row.id);
  const content = `修改系统设置 ${keys.join('、')}`;
  const reported = changes.flatMap(reportedChanges);
  const event = {
    code: 'settings_changed' as const,
    keys: keys.join(', '),
    changes: reported.slice(0, mostReported),
    ...(reported.length > mostReported ? { more: reported.length - mostReported } : {}),
  };
  await writeLog(context, { user_id: actor.id, username: actor.username, type: LogType.management, content, event });
}

/** Most changes that a row of the log lists, and the greatest length of their texts: the history of settings has them all. */
const mostReported = 3;
const longestReported = 60;

function reportedChanges({ key, before, after, entries, is_set: hasSecret }: OptionChangeRecord): SettingChange[] {
  if (hasSecret !== undefined) return [{ key, is_secret: true }];
  if (entries === undefined) return [isStructured(before) || isStructured(after) ? { key } : { key, ...texts(before, after) }];
  return entries.map((entry) => ({ key, name: cut(entry.name), ...texts(entry.before, entry.after) }));
}

/** Lists and objects, which say nothing in a sentence. */
function isStructured(text: string | undefined): boolean {
  return text !== undefined && /^\s*[[{]/.test(text);
}

function texts(before: number | string | undefined, after: number | string | undefined): Pick<SettingChange, 'before' | 'after'> {
  return {
    ...(before === undefined ? {} : { before: cut(String(before)) }),
    ...(after === undefined ? {} : { after: cut(String(after)) }),
  };
}

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length > longestReported ? `${characters.slice(0, longestReported).join('')}…` : text;
}
