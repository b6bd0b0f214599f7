// Plain calls and what administrators give back of them, among everything else that moves a balance.
import { expect } from 'vitest';
import { finishCallRefunds, refundCall } from '#server/features/logs/refund-call.ts';
import type { RunningContext } from '#server/create-context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { LogType } from '#shared/logs.ts';
import { later } from '#tests/faults/due-credits.ts';
import type { TaskKey } from '#tests/faults/task-acts.ts';
import { buildLog } from '#tests/support/build-log.ts';

/** What has happened to calls in a run. */
export interface SeenCalls {
  called: number;
  givenBack: number;
}

interface CallSubject {
  users: readonly UserRecord[];
  keys: readonly TaskKey[];
  /** Who gives back. */
  actor: UserRecord;
  random: () => number;
}

const mostPerCall = 400;

/** By the key of one of them; that of the first has a limit. */
export async function callSome({ keys, random }: CallSubject, { ledger, now }: RunningContext): Promise<void> {
  const place = Math.floor(random() * keys.length);
  const key = keys[place];
  if (key === undefined) return;
  const amount = 1 + Math.floor(random() * mostPerCall);
  const quota = Math.floor(random() * (amount + 1));
  const { id: tokenId, userId } = key;
  const result = await ledger.reserve({ userId, token: { id: tokenId, isLimited: place === 0 }, amount });
  if (!('reservation' in result)) return;
  const more = { quota, token_id: tokenId, created_at: Math.floor(now() / 1000), request_id: `call ${userId} ${random()}` };
  const { id: _, ...row } = buildLog({ id: 0, user_id: userId, ...more });
  await ledger.settle(result.reservation, row);
}

/** Refunds a part of it, under few names, so that refunds are repeated, and together request more than there is. */
export async function giveBackSome({ users, actor, random }: CallSubject, context: RunningContext): Promise<void> {
  const ids = users.map(({ id }) => id);
  const rows = await context.db
    .collection('logs')
    .find({ user_id: { in: ids }, type: LogType.consumption }, { sort: [['id', -1]], limit: 20 });
  const calls = rows.filter(isPlain);
  const call = calls[Math.floor(random() * calls.length)];
  if (call === undefined) return;
  const amount = 1 + Math.floor(random() * call.quota);
  await refundCall(context, actor, call.id, { amount, reason: 'the answer was empty', ref: `refund-${Math.floor(random() * 4)}` });
}

export async function finishCalls(other: RunningContext): Promise<void> {
  await finishCallRefunds(later(other));
}

/** Of one user: each call gives back what its record says, and never more than it cost. Returns what calls took and gave back. */
export async function checkCallBooks(
  { db }: RunningContext,
  { user, seen, where }: { user: UserRecord; seen: SeenCalls; where: string },
): Promise<{ charged: number; refunded: number }> {
  const rows = await db.collection('logs').find({ user_id: user.id, type: LogType.consumption });
  const calls = rows.filter((row) => row.process !== undefined && isPlain(row));
  let refunded = 0;
  for (const call of calls) {
    const record = await db.collection('call_refunds').get(call.id);
    if (record === null) continue;
    const at = `${where}: call ${call.id}`;
    expect(record, at).not.toHaveProperty('due_at');
    const done = record.acts.filter(({ state }) => state === 'done');
    const given = done.reduce((sum, { amount }) => sum + amount, 0);
    expect(given, at).toBeLessThanOrEqual(call.quota);
    expect(new Set(record.acts.map(({ ref }) => ref)).size, `${at}: names`).toBe(record.acts.length);
    const noted = call.other?.['refunds'] ?? [];
    expect(Array.isArray(noted) ? noted.length : -1, `${at}: on the receipt`).toBe(done.length);
    for (const { log_id: logId, amount } of done) {
      const reported = await db.collection('logs').get(logId);
      expect(reported, `${at}: told`).toMatchObject({ user_id: user.id, refunded: amount });
      const named = await db.collection('ledger').find({ ref: `call:${logId}:refund:user` });
      expect(named, `${at}: entry`).toMatchObject([{ amount, state: 'done', account_id: user.id }]);
    }
    refunded += given;
    seen.givenBack += done.length;
  }
  const entries = await db.collection('ledger').find({ account: 'user', account_id: user.id, kind: 'call_refund', state: 'done' });
  expect(
    entries.reduce((sum, { amount }) => sum + amount, 0),
    `${where}: given back`,
  ).toBe(refunded);
  seen.called += calls.length;
  return { charged: calls.reduce((sum, { quota }) => sum + quota, 0), refunded };
}

/** No task's. */
function isPlain({ other }: LogRecord): boolean {
  return other?.['task'] === undefined;
}
