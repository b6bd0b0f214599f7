// Keys of described channels: compared by their hashes, written through the console's changes of keys.
import { fieldSentence } from '#shared/field-rules.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import { addKeys, editKey, oneKey, removeKeys } from '#server/features/channels/keys/change-keys.ts';
import { defaultKeyWeight } from '#server/exchange/keys/new-key.ts';
import type { DescribedChannel } from './document.ts';
import { canonical } from './entry-values.ts';
import type { Planning } from './planning.ts';
import { type Entry, placeIn } from './read-document.ts';

export interface WantedKey {
  text: string;
  hash: string;
  weight: number;
  most_parallel: number;
  note: string;
}

/** Undefined if the file leaves the keys to the console. @throws {AppError} for a key that the type cannot have */
export function wantedKeys({ context, problems }: Planning, entry: Entry<string, DescribedChannel>, type: number): WantedKey[] | undefined {
  const { key, keys } = entry.value;
  if (key !== undefined && keys !== undefined) {
    problems.push({
      ...placeIn(entry, 'keys'),
      text: fieldSentence('keys', { zh: '不能与 key 同时给出', en: 'cannot be given together with key' }),
    });
    return undefined;
  }
  const given = keys ?? (key === undefined ? undefined : [{ key }]);
  return given?.map(
    ({ key: text, weight = defaultKeyWeight, most_parallel = 0, note = '' }: NonNullable<DescribedChannel['keys']>[number]) => {
      const one = oneKey(text, type);
      return { text: one, hash: context.secrets.hash(one), weight, most_parallel, note };
    },
  );
}

export function hashOf({ context }: Planning, wanted: readonly WantedKey[]): string {
  return context.secrets.hash(canonical(wanted.map(({ hash, weight, most_parallel, note }) => [hash, weight, most_parallel, note])));
}

export function hasSeveral(wanted: readonly WantedKey[]): boolean {
  return (
    wanted.length > 1 || wanted.some(({ weight, most_parallel, note }) => weight !== defaultKeyWeight || most_parallel !== 0 || note !== '')
  );
}

export function keyChanges(
  record: ChannelRecord,
  { wanted, mark, keyRows }: { wanted: WantedKey[] | undefined; mark: ManagedMark; keyRows: readonly ChannelKeyRecord[] },
): { isChanged: boolean; isSingle: boolean } {
  const isSingle = keyRows.length === 0 && !hasSeveral(wanted ?? []);
  // Renewed since by its sign-in, or as it was applied.
  if (wanted === undefined || record.managed?.key === mark.key) return { isChanged: false, isSingle };
  if (isSingle) return { isChanged: wanted[0]?.hash !== record.key_hash, isSingle };
  const isSameRow = (key: WantedKey) =>
    keyRows.some(
      (row) => row.key_hash === key.hash && row.weight === key.weight && row.most_parallel === key.most_parallel && row.note === key.note,
    );
  return { isChanged: keyRows.length !== wanted.length || !wanted.every(isSameRow), isSingle };
}

interface KeyWrite {
  id: number;
  wanted: readonly WantedKey[];
  keyRows: readonly ChannelKeyRecord[];
  language: Planning['language'];
}

/** Adds first, so that the channel is never without a key. */
export async function writeKeys({ context, actor }: Planning, { id, wanted, language }: KeyWrite): Promise<void> {
  await addKeys(context, actor, { id, keys: wanted.map(({ text }) => text).join('\n'), language });
  const rows = await context.db.collection('channel_keys').find({ channel_id: id }, { sort: [['id', 1]] });
  const gone = rows.filter(({ key_hash: hash }) => !wanted.some((key) => key.hash === hash)).map((row) => row.id);
  if (gone.length > 0) await removeKeys(context, { id, ids: gone });
  for (const key of wanted) {
    const row = rows.find(({ key_hash: hash }) => hash === key.hash);
    const { weight, most_parallel, note } = key;
    // The only key of a channel has a record after its first edit.
    if (row === undefined ? wanted.length > 1 || !hasSeveral([key]) : isSameKey(row, key)) continue;
    await editKey(context, actor, { id, key: row?.id ?? 0, edit: { weight, most_parallel, note } });
  }
}

function isSameKey(row: ChannelKeyRecord, { weight, most_parallel, note }: WantedKey): boolean {
  return row.weight === weight && row.most_parallel === most_parallel && row.note === note;
}
