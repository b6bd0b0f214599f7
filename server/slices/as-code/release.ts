// What files manage, and its release: the objects stay as they are, and the console changes them again.
import type { ManagingFile } from '#shared/as-code.ts';
import { actingForFile } from '#server/audit-log/actor.ts';
import type { AppContext } from '#server/context.ts';
import { editRecords } from '#server/db/edit-records.ts';
import { entryKinds, managedEntriesKey, managedEntriesOf, managedEntriesText } from '#server/settings/managed-entries.ts';
import { editOptions, finishOptionWrites } from '#server/settings/option-writes.ts';

/** By name. */
export async function listManagingFiles({ db, settings }: AppContext): Promise<ManagingFile[]> {
  const files = new Map<string, ManagingFile>();
  const count = ({ by, file }: { by: string; file: string }, kind: Exclude<keyof ManagingFile, 'by' | 'file'>): void => {
    const key = JSON.stringify([by, file]);
    const found = files.get(key) ?? { by, file, settings: 0, groups: 0, prices: 0, channels: 0, tokens: 0 };
    found[kind] += 1;
    files.set(key, found);
  };
  for (const kind of entryKinds) for (const mark of settings.managed[kind].values()) count(mark, `${kind}s`);
  for await (const { managed } of db.collection('channels').each({ managed: { exists: true } })) {
    if (managed !== undefined) count(managed, 'channels');
  }
  for await (const { managed, DeletedAt: deleted } of db.collection('tokens').each({ managed_by: { gt: '' } })) {
    if (managed !== undefined && deleted === null) count(managed, 'tokens');
  }
  return [...files.values()].toSorted((one, other) => (one.file < other.file ? -1 : 1));
}

/** Returns how many objects were released. */
export function releaseFiles(context: AppContext, { by, actorId }: { by: string; actorId: number }): Promise<number> {
  return actingForFile(async () => {
    let count = 0;
    await finishOptionWrites(context);
    await editOptions(context, {
      keys: [managedEntriesKey],
      actorId,
      plan(rows) {
        count = 0;
        const row = rows.get(managedEntriesKey);
        if (row === undefined) return [];
        const entries = managedEntriesOf(row);
        const rest = { setting: new Map(entries.setting), group: new Map(entries.group), price: new Map(entries.price) };
        for (const kind of entryKinds) {
          for (const [name, mark] of entries[kind]) if (mark.by === by && rest[kind].delete(name)) count += 1;
        }
        return count === 0 ? [] : [{ id: managedEntriesKey, value: managedEntriesText(rest) }];
      },
    });
    await context.settings.reload();
    const isOwn = ({ managed }: { managed?: { by: string } }): boolean => managed?.by === by;
    const onEach = (_id: number, result: unknown): void => {
      if (result !== null && !(result instanceof Error)) count += 1;
    };
    await editRecords(context, 'channels', {
      ids: (await context.db.collection('channels').find({ 'managed.by': by })).map(({ id }) => id),
      change: (channel) => (isOwn(channel) ? { set: {}, unset: ['managed'] } : null),
      onEach,
    });
    await editRecords(context, 'tokens', {
      ids: (await context.db.collection('tokens').find({ managed_by: by })).map(({ id }) => id),
      change: (token) => (isOwn(token) ? { set: {}, unset: ['managed', 'managed_by'] } : null),
      onEach,
    });
    return count;
  });
}
