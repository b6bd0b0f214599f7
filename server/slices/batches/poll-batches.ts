// Polls providers for batches, and resolves batches whose process died.
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { pollInTurn, turnBounds } from '#server/slices/files/poll-in-turn.ts';
import type { TurnBounds } from '#server/slices/files/poll-in-turn.ts';
import { channelOf } from '#server/slices/files/upstream-files.ts';
import type { Requesting } from '#server/slices/files/upstream-files.ts';
import { ChargeLines } from '#server/money/charge-lines.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { formOf } from './batch-endpoints.ts';
import { creationMs } from './batch-store.ts';
import { concludeBatch, finishBatch, retentionMs, noResults, resolveBatchCharge, returnLateCharge } from './settle-batch.ts';
import { claimMs, readConcurrently } from './read-concurrently.ts';
import type { Turn } from './read-concurrently.ts';
import { sumResults } from './sum-results.ts';

const atOnce = 50;

export interface PollBounds extends TurnBounds {
  /** Milliseconds that a run waits for results, of all batches together. */
  patienceMs: number;
}

export const pollBounds: PollBounds = { ...turnBounds, patienceMs: 5_000 };
/** Polling interval in milliseconds: a twentieth of the batch's age. */
const pollMs = { least: 15_000, most: 10 * 60_000 };
const retryMs = 60_000;
/** Batches of dead processes brought forward per run. */
const broughtAtOnce = 200;
/** Seconds until a created batch appears in the provider's list. */
const listedAfter = 15;
/** Maximum milliseconds of checking while the process lives. */
const longestChecking = 2 * 3600 * 1000;
/** Seconds after a batch's end until an unresolved one is given up. */
const givenUpAfter = 3 * 24 * 3600;
const windowSeconds = 24 * 3600;

/** Job. Large results are read concurrently with later work. */
export async function pollBatches(context: AppContext, bounds: Partial<PollBounds> = {}): Promise<void> {
  const { runMs, questionMs, patienceMs } = { ...pollBounds, ...bounds };
  const turn: Turn = { until: performance.now() + patienceMs };
  const batches = context.db.collection('batches');
  await bringForward(context);
  const due = await batches.find({ poll_at: { lte: context.now() } }, { sort: [['poll_at', 1]], limit: atOnce });
  await pollInTurn(due, {
    context,
    bounds: { runMs, questionMs },
    claim: async ({ id, poll_at: at }) =>
      at === undefined ? null : batches.patch({ id, poll_at: at }, { set: { poll_at: context.now() + claimMs } }),
    look: (batch, requesting) => look(context, batch, { requesting, turn }),
    again: (batch) => again(context, batch, retryMs),
  });
}

/** Brings forward batches whose process died during creation; no other process confirms them. */
async function bringForward({ db, now }: AppContext): Promise<void> {
  const batches = db.collection('batches');
  // Batches polled before are due sooner than this.
  const waiting = await batches.find(
    { state: { in: ['checking', 'creating'] }, poll_at: { gt: now() + retryMs } },
    { limit: broughtAtOnce },
  );
  for (const [process, left] of Map.groupBy(waiting, (batch) => batch.process)) {
    const owner = await db.collection('processes').get(process);
    if (owner !== null && owner.state !== 'settled') continue;
    for (const { id, poll_at } of left) await batches.patch({ id, poll_at }, { set: { poll_at: now() } });
  }
}

interface Looking {
  /** With the deadline of provider responses. */
  requesting: AppContext & Requesting;
  turn: Turn;
}

async function look(context: AppContext, batch: BatchRecord, { requesting, turn }: Looking): Promise<void> {
  if (batch.state === 'checking') return lookAtChecking(context, batch);
  if (batch.state === 'creating') return lookAtCreating(context, batch, requesting);
  if (batch.state === 'running') return lookAtRunning(context, batch, { requesting, turn });
  if (batch.state === 'ended') return lookAtEnded(context, batch);
  if (!(await finishBatch(context, batch))) await again(context, batch, retryMs);
}

/** A process declared dead may have charged the batch later and ended before refunding it. */
async function lookAtEnded(context: AppContext, batch: BatchRecord): Promise<void> {
  const batches = context.db.collection('batches');
  const until = (batch.ended_at ?? 0) * 1000 + retentionMs;
  if (batch.charge === 'none') {
    const { paid, isCertain } = await chargeOf(context.db, batch);
    if (paid !== null) return isCertain ? returnLateCharge(context, batch, paid) : again(context, batch, retryMs);
    if (context.now() < until) return void (await batches.patch({ id: batch.id, state: 'ended' }, { set: { poll_at: until } }));
  }
  await batches.remove({ id: batch.id, state: 'ended', charge: batch.charge });
}

async function again({ db, now }: AppContext, { id }: BatchRecord, after: number): Promise<void> {
  await db.collection('batches').patch({ id, poll_at: { exists: true } }, { set: { poll_at: now() + after } });
}

/** Nothing has been charged for it. */
async function lookAtChecking(context: AppContext, batch: BatchRecord): Promise<void> {
  const owner = await context.db.collection('processes').get(batch.process);
  // Its age by the clock of the process that reads it.
  if (owner?.state === 'alive' && owner.heartbeat_at - batch.created_at * 1000 < longestChecking) return again(context, batch, creationMs);
  await context.db.collection('batches').remove({ id: batch.id, state: 'checking' });
}

/** Resolves first whether it was charged, then whether the provider has it. */
async function lookAtCreating(context: AppContext, open: BatchRecord, requesting: AppContext & Requesting): Promise<void> {
  const batch = await resolveBatchCharge(context, open);
  if (batch.charge === 'open') return again(context, batch, retryMs);
  const now = Math.floor(context.now() / 1000);
  const failed = { sums: { ...noResults, failed: 0 }, set: { status: 'failed', failed_at: now } };
  if (batch.charge === 'none') return concludeBatch(context, batch, failed);
  const channel = channelOf(context, batch);
  const form = formOf(batch);
  const isOfOurs = (at: PreparedChannel, id: string) => isKnown(context, at, id);
  const found = channel === null ? undefined : await form.find({ ...requesting, isKnown: isOfOurs }, channel, batch);
  if (found === undefined) {
    // It is unknown whether it runs. The input file is deleted, and results are ignored.
    return now > batch.created_at + givenUpAfter ? concludeBatch(context, batch, failed) : again(context, batch, retryMs);
  }
  if (found !== null) {
    const running = { ...found.set, upstream_id: found.id, state: 'running' as const, poll_at: context.now() };
    await context.db.collection('batches').patch({ id: batch.id, state: 'creating' }, { set: running });
    return;
  }
  if (now < (batch.asked_at ?? 0) + listedAfter) return again(context, batch, listedAfter * 1000);
  // After the file is deleted, no batch can start; one that started before is listed by now.
  const given = await form.release(requesting, batch);
  const late = given === 'gone' && channel !== null ? await form.find({ ...requesting, isKnown: isOfOurs }, channel, batch) : null;
  const isCertain = given === 'nothing' || (given === 'gone' && late === null);
  if (!isCertain && now <= batch.created_at + givenUpAfter) return again(context, batch, late == null ? retryMs : 0);
  await concludeBatch(context, batch, failed);
}

/** Reports whether another record has this batch. */
async function isKnown({ db, secrets }: AppContext, channel: PreparedChannel, id: string): Promise<boolean> {
  return (await db.collection('batches').count({ upstream_id: id, key: keyBehind(secrets, channel) }, 1)) > 0;
}

const endings: ReadonlySet<string | undefined> = new Set(['completed', 'failed', 'expired', 'cancelled']);

async function lookAtRunning(context: AppContext, batch: BatchRecord, { requesting, turn }: Looking): Promise<void> {
  const channel = channelOf(context, batch);
  const answer = channel === null ? null : await formOf(batch).read(requesting, channel, batch.upstream_id);
  if (channel === null || answer === null || 'failure' in answer) return unread(context, batch);
  const { set } = answer.reported;
  const reported = { ...batch, ...set };
  if (!endings.has(set.status)) {
    const age = context.now() - batch.created_at * 1000;
    const poll = context.now() + Math.min(pollMs.most, Math.max(pollMs.least, age / 20));
    await context.db.collection('batches').patch({ id: batch.id, state: 'running' }, { set: { ...set, poll_at: Math.round(poll) } });
    return;
  }
  // Counted results may still be missing.
  if (!formOf(batch).hasResults(reported)) return unread(context, reported, set);
  const isBegun = await readConcurrently(context, batch, turn, () => readResults(context, channel, reported, set));
  // The limit of concurrent readings is reached.
  if (!isBegun) await again(context, batch, retryMs);
}

async function readResults(context: AppContext, channel: PreparedChannel, reported: BatchRecord, set: Partial<BatchRecord>): Promise<void> {
  try {
    const sums = await sumResults(context, channel, reported);
    await concludeBatch(context, reported, { sums, set });
  } catch (failure) {
    if (failure instanceof DatabaseUnavailable) throw failure;
    context.log.warn({ batch: reported.id, reason: String(failure) }, 'the results of a batch could not be read and will be read again');
    await unread(context, reported, set);
  }
}

/** If results are lost for good, charges the share of the requests that the provider reported as completed. */
async function unread(context: AppContext, batch: BatchRecord, set: Partial<BatchRecord> = {}): Promise<void> {
  const end = batch.expires_at === 0 ? batch.created_at + windowSeconds : batch.expires_at;
  const now = Math.floor(context.now() / 1000);
  if (now < end + givenUpAfter) {
    await context.db
      .collection('batches')
      .patch({ id: batch.id, state: 'running' }, { set: { ...set, poll_at: context.now() + pollMs.most } });
    return;
  }
  const completed = Math.min(batch.completed, batch.requests);
  const cost = Math.floor((batch.reserved * completed) / Math.max(1, batch.requests));
  const lines = new ChargeLines(JSON.parse(batch.quoted));
  for (let index = 0; index < completed; index += 1) lines.addShare(cost / completed);
  const sums = { ...noResults, completed, failed: batch.failed, cost, lines: JSON.stringify(lines.reported()) };
  const status = endings.has(batch.status) ? batch.status : 'failed';
  await concludeBatch(context, batch, { sums, set: { ...set, status, upstream_output: '', upstream_error: '' } });
}
