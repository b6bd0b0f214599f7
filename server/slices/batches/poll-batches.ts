// Polls providers for batches.
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { keyBehind } from '#server/exchange/key-behind.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { ChargeLines } from '#server/money/charge-lines.ts';
import { channelOf } from '#server/objects/upstream-files.ts';
import type { TurnBounds } from '#server/work/poll-in-turn.ts';
import { givenUpAfter, lookAgain, type Looking, nextPollAt, pollMs, pollWork, retryMs } from '#server/work/poll-work.ts';
import { concludeWork } from '#server/work/settle-work.ts';
import { formOf } from './batch-endpoints.ts';
import { estimatedTokens } from './batch-limits.ts';
import { batchWork, noResults } from './batch-work.ts';
import { readConcurrently, type Turn } from './read-concurrently.ts';
import { sumResults } from './sum-results.ts';

export interface PollBounds extends TurnBounds {
  /** Milliseconds that a run waits for results, of all batches together. */
  patienceMs: number;
}

const patienceMs = 5_000;
const windowSeconds = 24 * 3600;

/** Job. Large results are read concurrently with later work. */
export async function pollBatches(
  context: AppContext,
  { patienceMs: patience = patienceMs, ...bounds }: Partial<PollBounds> = {},
): Promise<void> {
  const turn: Turn = { until: performance.now() + patience };
  const polling = {
    kind: batchWork,
    listedAfter: 15,
    find: ({ requesting }: Looking, channel: PreparedChannel, batch: BatchRecord) =>
      formOf(batch).find({ ...requesting, isKnown: (at, id) => isKnown(context, at, id) }, channel, batch),
    lookAtRunning: (looking: Looking, batch: BatchRecord) => lookAtRunning(looking, batch, turn),
  };
  await pollWork(context, polling, bounds);
}

/** Reports whether another record has this batch. */
async function isKnown({ db, secrets }: AppContext, channel: PreparedChannel, id: string): Promise<boolean> {
  return (await db.collection('batches').count({ upstream_id: id, key: keyBehind(secrets, channel) }, 1)) > 0;
}

const endings: ReadonlySet<string | undefined> = new Set(['completed', 'failed', 'expired', 'cancelled']);

async function lookAtRunning({ context, requesting }: Looking, batch: BatchRecord, turn: Turn): Promise<void> {
  const channel = channelOf(context, batch);
  const answer = channel === null ? null : await formOf(batch).read(requesting, channel, batch.upstream_id);
  if (channel === null || answer === null || 'failure' in answer) return unread(context, batch);
  const { set } = answer.reported;
  const reported = { ...batch, ...set };
  if (!endings.has(set.status)) {
    const poll = nextPollAt(context.now(), batch);
    await context.db.collection('batches').patch({ id: batch.id, state: 'running' }, { set: { ...set, poll_at: poll } });
    return;
  }
  // Counted results may still be missing.
  if (!formOf(batch).hasResults(reported)) return unread(context, reported, set);
  const isBegun = await readConcurrently(context, batch, turn, () => readResults(context, channel, reported, set));
  // The limit of concurrent readings is reached.
  if (!isBegun) await lookAgain(context, batchWork, batch, retryMs);
}

async function readResults(context: AppContext, channel: PreparedChannel, reported: BatchRecord, set: Partial<BatchRecord>): Promise<void> {
  try {
    const sums = await sumResults(context, channel, reported);
    await concludeWork(context, batchWork, reported, { cost: sums.cost, set: { ...set, ...sums } });
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
  const used = completed * estimatedTokens(batch);
  const sums = { ...noResults, completed, failed: batch.failed, used_tokens: used, cost, lines: JSON.stringify(lines.reported()) };
  const status = endings.has(batch.status) ? batch.status : 'failed';
  await concludeWork(context, batchWork, batch, { cost, set: { ...set, ...sums, status, upstream_output: '', upstream_error: '' } });
}
