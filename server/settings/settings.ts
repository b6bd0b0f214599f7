// Typed, cached snapshot of the option rows.
import type { Logger } from 'pino';
import { isSecret, isSettingKey, type SettingKey, settingKeys, settings, type SettingValue } from '#shared/settings.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { Database } from '#server/db/database.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { type GroupMoves, groupMovesKey, groupMovesOf } from '#server/settings/group-moves.ts';
import { managedEntriesKey, managedEntriesOf, type ManagedEntries } from '#server/settings/managed-entries.ts';
import { copyOptionWrites } from '#server/settings/option-writes.ts';

/** All settings as typed, cached values. Follows the change feed, so an edit anywhere applies within a second. */
export interface Settings {
  get<Key extends SettingKey>(key: Key): SettingValue<Key>;
  /** Path of the site below its host, by BASE_PATH; empty at the root. */
  readonly basePath: string;
  /** Increases with every change of a setting; key for caches derived from settings. */
  readonly revision: number;
  /** Consistent with the settings. */
  readonly groupMoves: GroupMoves;
  /** Settings, groups and prices that files manage. Consistent with the settings. */
  readonly managed: ManagedEntries;
  /** Reads all rows again. */
  reload(): Promise<void>;
  /** Calls `listener` after each change. */
  onChange(listener: () => void): void;
}

export interface SettingsDependencies {
  db: Database;
  changes: ChangeFeed;
  secrets: Secrets;
  log?: Pick<Logger, 'warn'>;
  basePath?: string;
}

type Snapshot = { [Key in SettingKey]: SettingValue<Key> };

/** Returns defaults until `reload()` was called once. */
export function createSettings(parts: SettingsDependencies): Settings {
  let snapshot = snapshotOf([], parts);
  let groupMoves = groupMovesOf(undefined);
  let managed = managedEntriesOf(undefined);
  let revision = 1;
  const listeners: (() => void)[] = [];
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function read(): Promise<void> {
    await copyOptionWrites(parts);
    const rows = await parts.db.collection('options').find({});
    snapshot = snapshotOf(rows, parts);
    groupMoves = storedMoves(rows, parts) ?? groupMoves;
    managed = storedMarks(rows, parts) ?? managed;
    revision += 1;
    for (const listener of listeners) listener();
  }

  // A call during a read may follow an edit, so it waits for the next read.
  function reload(): Promise<void> {
    if (running === null) {
      running = read().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null;
        return reload();
      });
    return next;
  }

  parts.changes.listen('option', reload);
  parts.changes.onGap(reload);
  return {
    get: (key) => snapshot[key],
    basePath: parts.basePath ?? '',
    get revision() {
      return revision;
    },
    get groupMoves() {
      return groupMoves;
    },
    get managed() {
      return managed;
    },
    reload,
    onChange: (listener) => void listeners.push(listener),
  };
}

/**
 * Text of a stored option.
 * @throws {Error} if a secret was encrypted with another master key
 */
export function optionText(row: Pick<OptionRecord, 'id' | 'value'>, secrets: Secrets): string {
  return isSettingKey(row.id) && isSecret(row.id) && row.value !== '' ? secrets.decrypt(row.value, 'setting') : row.value;
}

function snapshotOf(rows: readonly OptionRecord[], parts: SettingsDependencies): Snapshot {
  const byKey = new Map(rows.map((row) => [row.id, row]));
  const snapshot: Partial<Snapshot> = {};
  for (const key of settingKeys) setValue(snapshot, key, byKey.get(key), parts);
  if (!isComplete(snapshot)) throw new Error('A setting has no value');
  return snapshot;
}

function setValue<Key extends SettingKey>(
  snapshot: Partial<Snapshot>,
  key: Key,
  row: OptionRecord | undefined,
  parts: SettingsDependencies,
): void {
  snapshot[key] = (row === undefined ? undefined : storedValue(key, row, parts)) ?? defaultValue(key);
}

function storedValue<Key extends SettingKey>(
  key: Key,
  row: OptionRecord,
  { secrets, log }: SettingsDependencies,
): SettingValue<Key> | undefined {
  try {
    const parsed = settings[key].parse(optionText(row, secrets), key);
    if (parsed.ok) return parsed.value;
    log?.warn({ option: key, problem: parsed.problem.code }, 'a stored option is not valid, its default is used');
  } catch (cause) {
    log?.warn({ option: key, err: cause }, 'a stored option cannot be read, its default is used');
  }
  return undefined;
}

/** Returns undefined for a damaged row, so that the settings can still be read. */
function storedMoves(rows: readonly OptionRecord[], { log }: SettingsDependencies): GroupMoves | undefined {
  try {
    return groupMovesOf(rows.find(({ id }) => id === groupMovesKey));
  } catch (cause) {
    log?.warn({ option: groupMovesKey, err: cause }, 'the moves of groups cannot be read');
    return undefined;
  }
}

/** The same: the marks refuse edits where they are read for a write. */
function storedMarks(rows: readonly OptionRecord[], { log }: SettingsDependencies): ManagedEntries | undefined {
  try {
    return managedEntriesOf(rows.find(({ id }) => id === managedEntriesKey));
  } catch (cause) {
    log?.warn({ option: managedEntriesKey, err: cause }, 'the marks of managed settings cannot be read');
    return undefined;
  }
}

const defaultValues: Partial<Snapshot> = {};

function defaultValue<Key extends SettingKey>(key: Key): SettingValue<Key> {
  const known: SettingValue<Key> | undefined = defaultValues[key];
  if (known !== undefined) return known;
  const parsed = settings[key].parse(defaultText(key), key);
  if (!parsed.ok) throw new Error(`The default of the setting ${key} is not valid: ${parsed.problem.code}`);
  const value: SettingValue<Key> = parsed.value;
  defaultValues[key] = value;
  return value;
}

function isComplete(snapshot: Partial<Snapshot>): snapshot is Snapshot {
  return settingKeys.every((key) => snapshot[key] !== undefined);
}
