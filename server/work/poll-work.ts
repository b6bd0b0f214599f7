// Polls providers for prepaid work, and resolves work whose process died.
import type { AppContext } from '#server/context.ts';
import type { PrepaidWork } from '#server/db/records/prepaid-work.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { channelOf, type Requesting } from '#server/objects/upstream-files.ts';
import { chargeOf } from '#server/money/recovery/call-charge.ts';
import { pollInTurn, type TurnBounds, turnBounds } from './poll-in-turn.ts';
import { failWork, finishWork, resolveCharge, returnLateCharge } from './settle-work.ts';
import { creationMs, type ReportedWork, type WorkKind } from './work-kind.ts';

const atOnce = 50;
/** Time for which no other process looks at claimed work. */
export const claimMs = 30 * 60_000;
export const retryMs = 60_000;
/** Polling interval in milliseconds: a twentieth of the work's age. */
export const pollMs = { least: 15_000, most: 10 * 60_000 };
/** Seconds without a report after which work is given up. */
export const givenUpAfter = 3 * 24 * 3600;
/** Work of dead processes that a run brings forward. */
const broughtAtOnce = 200;
/** Maximum milliseconds of checking while the process lives. */
const longestChecking = 2 * 3600 * 1000;

export interface Looking {
  context: AppContext;
  /** With the deadline of the provider's responses. */
  requesting: AppContext & Requesting;
}

/** How work of a kind is polled. */
export interface WorkPolling<Work extends PrepaidWork> {
  kind: WorkKind<Work>;
  /** Seconds from a creation until the provider lists it. */
  listedAfter: number;
  /** Seconds after which an unanswered creation that the provider does not list will never begin, even if its input could not be deleted. */
  longestUnanswered?: number;
  /** Finds work whose creation got no response. Returns null if there is none, undefined if not known yet. */
  find(looking: Looking, channel: PreparedChannel, work: Work): Promise<ReportedWork<Work> | null | undefined>;
  /** Reads the provider's report of running work. */
  lookAtRunning(looking: Looking, work: Work): Promise<void>;
  /** Continues with ended work that `looksOnAfter` names. */
  lookAtEnded?(looking: Looking, work: Work): Promise<void>;
}

export async function pollWork<Work extends PrepaidWork>(
  context: AppContext,
  polling: WorkPolling<Work>,
  bounds: Partial<TurnBounds> = {},
): Promise<void> {
  const { kind } = polling;
  const records = kind.records(context.db);
  await bringForward(context, kind);
  const due = await records.find({ poll_at: { lte: context.now() } }, { sort: [['poll_at', 1]], limit: atOnce });
  await pollInTurn(due, {
    context,
    bounds: { ...turnBounds, ...bounds },
    claim: ({ id, poll_at: at }) => records.patch({ id, poll_at: at }, { set: { poll_at: context.now() + claimMs } }),
    look: (work, requesting) => look({ context, requesting }, polling, work),
    again: (work) => lookAgain(context, kind, work, retryMs),
  });
}

/** Looks at it again after so many milliseconds. If its state has changed meanwhile, the next look is scheduled already. */
export async function lookAgain<Work extends PrepaidWork>(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  kind: WorkKind<Work>,
  { id, state }: PrepaidWork,
  after: number,
): Promise<void> {
  await kind.records(db).patch({ id, state }, { set: { poll_at: now() + after } });
}

/** Milliseconds of the next look at work that is running. */
export function nextPollAt(now: number, { created_at: created }: PrepaidWork): number {
  return Math.round(now + Math.min(pollMs.most, Math.max(pollMs.least, (now - created * 1000) / 20)));
}

/** Brings forward work whose process died during creation; no other process confirms it. */
async function bringForward<Work extends PrepaidWork>({ db, now }: AppContext, kind: WorkKind<Work>): Promise<void> {
  const records = kind.records(db);
  // Work polled before is due sooner than this, running and ended work mostly later.
  const waiting = await records.find(
    { state: { in: ['checking', 'creating'] }, poll_at: { gt: now() + retryMs, lte: now() + creationMs + retryMs } },
    { limit: broughtAtOnce },
  );
  for (const [process, left] of Map.groupBy(waiting, (work) => work.process)) {
    const owner = await db.collection('processes').get(process);
    if (owner !== null && owner.state !== 'settled') continue;
    for (const { id, poll_at } of left) await records.patch({ id, poll_at }, { set: { poll_at: now() } });
  }
}

async function look<Work extends PrepaidWork>(looking: Looking, polling: WorkPolling<Work>, work: Work): Promise<void> {
  const { context } = looking;
  const { kind } = polling;
  if (work.state === 'checking') return lookAtChecking(context, kind, work);
  if (work.state === 'creating') return lookAtCreating(looking, polling, work);
  if (work.state === 'running') return polling.lookAtRunning(looking, work);
  if (work.state === 'settling') {
    if (!(await finishWork(context, kind, work))) await lookAgain(context, kind, work, retryMs);
    return;
  }
  if (polling.lookAtEnded !== undefined && kind.looksOnAfter?.(work) !== undefined) return polling.lookAtEnded(looking, work);
  return lookAtEnded(context, kind, work);
}

/** Nothing has been charged for it. */
async function lookAtChecking<Work extends PrepaidWork>(context: AppContext, kind: WorkKind<Work>, work: Work): Promise<void> {
  const owner = await context.db.collection('processes').get(work.process);
  // Its age by the clock of the process that checks it.
  if (owner?.state === 'alive' && owner.heartbeat_at - work.created_at * 1000 < longestChecking)
    return lookAgain(context, kind, work, creationMs);
  await kind.records(context.db).remove({ id: work.id, state: 'checking' });
}

/** Resolves first whether it was charged, then whether the provider has it. */
async function lookAtCreating<Work extends PrepaidWork>(looking: Looking, polling: WorkPolling<Work>, open: Work): Promise<void> {
  const { context, requesting } = looking;
  const { kind, listedAfter, longestUnanswered = Infinity } = polling;
  const work = await resolveCharge(context, kind, open);
  if (work.charge === 'open') return lookAgain(context, kind, work, retryMs);
  if (work.charge === 'none') return failWork(context, kind, work);
  const now = Math.floor(context.now() / 1000);
  const channel = channelOf(context, work);
  const found = channel === null ? undefined : await polling.find(looking, channel, work);
  const isGivenUp = now > work.created_at + givenUpAfter;
  // It is unknown whether it runs. Its input is deleted, and results are ignored.
  if (channel === null || found === undefined) return isGivenUp ? failWork(context, kind, work) : lookAgain(context, kind, work, retryMs);
  if (found !== null) {
    const running = { ...found.set, upstream_id: found.id, state: 'running' as const, poll_at: context.now() };
    await kind.records(context.db).patch({ id: work.id, state: 'creating' }, { set: running });
    return;
  }
  if (now < (work.asked_at ?? 0) + listedAfter) return lookAgain(context, kind, work, listedAfter * 1000);
  // After the input is deleted, no work can start; one that started before is listed by now.
  const removed = await kind.removeInput(requesting, work);
  const late = removed === 'nothing' ? null : await polling.find(looking, channel, work);
  const canBegin = removed !== 'nothing' && removed !== 'gone' && now <= work.created_at + longestUnanswered;
  const isCertain = late === null && !canBegin;
  if (!isCertain && !isGivenUp) return lookAgain(context, kind, work, late == null ? retryMs : 0);
  await failWork(context, kind, work);
}

/** A process declared dead may have charged the work later and ended before refunding it. */
async function lookAtEnded<Work extends PrepaidWork>(context: AppContext, kind: WorkKind<Work>, work: Work): Promise<void> {
  const records = kind.records(context.db);
  const until = kind.endedAt(work) * 1000 + kind.retentionMs;
  if (work.charge === 'none') {
    const { paid, isCertain } = await chargeOf(context.db, work);
    if (paid !== null) return isCertain ? returnLateCharge(context, kind, work, paid) : lookAgain(context, kind, work, retryMs);
    if (context.now() < until) return void (await records.patch({ id: work.id, state: 'ended' }, { set: { poll_at: until } }));
  }
  await records.remove({ id: work.id, state: 'ended', charge: work.charge });
}
