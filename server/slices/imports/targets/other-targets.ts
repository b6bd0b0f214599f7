// Records without a balance of their own.
import type { Write } from '#server/db/database.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { OrderRecord } from '#server/db/records/order.ts';
import type { RedemptionRecord } from '#server/db/records/redemption.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { newKey } from '#server/exchange/keys/new-key.ts';
import type { CodeDraft, OrderDraft, TaskDraft } from '../mapped-row.ts';
import { added, type Target, type Verdict } from './target.ts';

export const channelTarget: Target<'channel'> = {
  kind: 'channel',
  references: () => [],
  judge: async (_job, rows) => rows.map((row) => added(row)),
  insertion({ keys: _keys, ...draft }, id) {
    const record: ChannelRecord = { ...draft, id };
    return { insert: record, into: 'channels', ignoreConflict: true };
  },
  // A key is unique within its channel, so a repetition adds none.
  async further({ context }, { keys }, id) {
    const ids = await context.db.nextIds('channel_keys', keys.length);
    return keys.map((key, index): Write => ({
      insert: { ...newKey(context, { channel_id: id, text: '', status: key.status }), ...key, id: ids[index] ?? 0 },
      into: 'channel_keys',
      ignoreConflict: true,
    }));
  },
  existing: async ({ context }, ids) => new Set((await context.db.collection('channels').find({ id: { in: ids } })).map(({ id }) => id)),
  nextIds: ({ context }, count) => context.db.nextIds('channels', count),
  async announce({ context }, ids) {
    for (const id of ids) await context.changes.announce('channel', id);
  },
};

export const codeTarget: Target<'code'> = {
  kind: 'code',
  references: ({ makerRef, redeemerRef }) => [
    { kind: 'user', oldId: makerRef },
    { kind: 'user', oldId: redeemerRef },
  ],
  async judge({ context }, rows) {
    const hashes = rows.map(({ draft }) => draft.key_hash);
    const taken = new Set(
      (await context.db.collection('redemptions').find({ key_hash: { in: hashes } })).map(({ key_hash: hash }) => hash),
    );
    return rows.map((row): Verdict<CodeDraft> => {
      if (taken.has(row.draft.key_hash)) return { row, outcome: 'conflict', note: { reason: 'code_taken', quota: row.money.amount } };
      taken.add(row.draft.key_hash);
      return added(row);
    });
  },
  insertion({ makerRef, redeemerRef, ...draft }, id, idOf) {
    const record: RedemptionRecord = { ...draft, id, user_id: idOf('user', makerRef), used_user_id: idOf('user', redeemerRef) };
    return { insert: record, into: 'redemptions', ignoreConflict: true };
  },
  existing: async ({ context }, ids) => new Set((await context.db.collection('redemptions').find({ id: { in: ids } })).map(({ id }) => id)),
  nextIds: ({ context }, count) => context.db.nextIds('redemptions', count),
};

export const orderTarget: Target<'order'> = {
  kind: 'order',
  references: ({ userRef }) => [{ kind: 'user', oldId: userRef }],
  async judge({ context }, rows, idOf) {
    const numbers = rows.map(({ draft }) => draft.trade_no);
    const taken = new Set(
      (await context.db.collection('orders').find({ trade_no: { in: numbers } })).map(({ trade_no: number }) => number),
    );
    return rows.map((row): Verdict<OrderDraft> => {
      const { userRef, trade_no: number } = row.draft;
      if (idOf('user', userRef) === 0) return { row, outcome: 'leave', note: { reason: 'owner_left_out' } };
      if (taken.has(number)) return { row, outcome: 'conflict', note: { reason: 'order_taken' } };
      taken.add(number);
      return added(row);
    });
  },
  insertion({ userRef, ...draft }, id, idOf) {
    const record: OrderRecord = { ...draft, id, user_id: idOf('user', userRef) };
    return { insert: record, into: 'orders', ignoreConflict: true };
  },
  existing: async ({ context }, ids) => new Set((await context.db.collection('orders').find({ id: { in: ids } })).map(({ id }) => id)),
  nextIds: ({ context }, count) => context.db.nextIds('orders', count),
};

export const taskTarget: Target<'task'> = {
  kind: 'task',
  references: taskReferences,
  async judge({ context }, rows, idOf) {
    const ids = rows.flatMap(({ draft }) => draft.public_id ?? []);
    const found = ids.length === 0 ? [] : await context.db.collection('tasks').find({ public_id: { in: ids } });
    const taken = new Set(found.map(({ public_id: id }) => id));
    return rows.map((row): Verdict<TaskDraft> => {
      if (idOf('user', row.draft.userRef) === 0) return { row, outcome: 'leave', note: { reason: 'owner_left_out' } };
      const { public_id: publicId, ...rest } = row.draft;
      if (publicId === undefined) return added(row);
      const isFree = publicId !== '' && !taken.has(publicId);
      taken.add(publicId);
      return added(row, isFree ? row.draft : rest);
    });
  },
  insertion({ userRef, tokenRef, channelRef, ...draft }, id, idOf) {
    const owners = { user_id: idOf('user', userRef), token_id: idOf('token', tokenRef), channel_id: idOf('channel', channelRef) };
    return { insert: { ...draft, id, ...owners } satisfies TaskRecord, into: 'tasks', ignoreConflict: true };
  },
  existing: async ({ context }, ids) => new Set((await context.db.collection('tasks').find({ id: { in: ids } })).map(({ id }) => id)),
  nextIds: ({ context }, count) => context.db.nextIds('tasks', count),
};

export const logTarget: Target<'log'> = {
  kind: 'log',
  references: taskReferences,
  judge: async (_job, rows, idOf) =>
    rows.map((row) =>
      added(row, row.draft, row.draft.userRef !== '' && idOf('user', row.draft.userRef) === 0 ? [{ reason: 'user_gone' }] : []),
    ),
  insertion({ userRef, tokenRef, channelRef, ...draft }, id, idOf) {
    const owners = { user_id: idOf('user', userRef), token_id: idOf('token', tokenRef), channel_id: idOf('channel', channelRef) };
    return { insert: { ...draft, id, ...owners, imported: 1 } satisfies LogRecord, into: 'logs', ignoreConflict: true };
  },
  existing: async ({ context }, ids) => new Set((await context.db.collection('logs').find({ id: { in: ids } })).map(({ id }) => id)),
  nextIds: ({ context }, count) => context.db.nextIds('logs', count),
};

function taskReferences({ userRef, tokenRef, channelRef }: { userRef: string; tokenRef: string; channelRef: string }) {
  return [
    { kind: 'user', oldId: userRef },
    { kind: 'token', oldId: tokenRef },
    { kind: 'channel', oldId: channelRef },
  ] as const;
}
