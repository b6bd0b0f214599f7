// Runs over all channels (tests, balances), one run of a kind at a time over all processes. The run is a record with a lease: every process can read
// its progress, and if its process ends, another one resumes after the last finished channel.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChannelRun, ChannelRunKind, type ChannelRuns } from '#shared/channel-runs.ts';
import { AppError, type ErrorCode, type Language } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable, type Filter } from '#server/db/collection.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ChannelRunRecord } from '#server/db/records/channel-run.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { noticeOfTests } from '#server/notify/notifications.ts';
import { balanceStep, type RunStep, type StepOutcome, testStep } from './run-steps.ts';

interface Kind {
  /** Channels of the run. */
  filter: Filter<ChannelRecord>;
  step: RunStep;
  /** The refusal of a second one. */
  running: ErrorCode;
  frequency: 'CHANNEL_TEST_FREQUENCY' | 'CHANNEL_UPDATE_FREQUENCY';
}

const kinds: Record<ChannelRunKind, Kind> = {
  tests: { filter: {}, step: testStep, running: 'channel_tests_running', frequency: 'CHANNEL_TEST_FREQUENCY' },
  balances: { filter: { status: 1 }, step: balanceStep, running: 'channel_balances_running', frequency: 'CHANNEL_UPDATE_FREQUENCY' },
};

/** Channels that are processed at the same time. */
const width = 4;
const leaseMs = 30_000;
const renewMs = 5_000;

/** The loops of a process, which end with it. */
interface Loops {
  isClosing: boolean;
  /** By the owner names of their leases. */
  owners: Set<string>;
}
const loopsOf = new WeakMap<AppContext, Loops>();

interface Starter {
  /** Null: the clock. */
  actor: UserRecord | null;
  language: Language;
}

/** @throws {AppError} while one of the kind is running, in whichever process */
export async function startRun(context: AppContext, kind: ChannelRunKind, { actor, language }: Starter): Promise<void> {
  const now = context.now();
  const owner = context.randomText(16);
  const fresh = {
    state: 'running' as const,
    owner,
    expires_at: now + leaseMs,
    started_at: Math.floor(now / 1000),
    ended_at: 0,
    started_by: actor?.id ?? 0,
    started_name: actor?.username ?? '',
    language,
    total: await context.db.collection('channels').count(kinds[kind].filter),
    done: 0,
    failed: 0,
    disabled: 0,
    enabled: 0,
    current: [],
    last_id: 0,
  };
  const free: Filter<ChannelRunRecord> = { id: kind, or: [{ state: { ne: 'running' } }, { expires_at: { lte: now } }] };
  const taken = await context.db.collection('channel_runs').patch(free, { set: fresh }, { insertIfMissing: { id: kind, ...fresh } });
  if (taken === null) throw new AppError(kinds[kind].running);
  begin(context, kind, taken);
}

export async function readRuns({ db }: AppContext): Promise<ChannelRuns> {
  const records = await db.collection('channel_runs').find({});
  const of = (kind: ChannelRunKind) => present(records.find(({ id }) => id === kind));
  return { tests: of('tests'), balances: of('balances') };
}

/** Stops a run without waiting for the requests in flight; their results are still stored. */
export async function stopRun({ db, now }: AppContext, kind: ChannelRunKind): Promise<void> {
  const set = { state: 'stopped' as const, ended_at: Math.floor(now() / 1000), current: [] };
  await db.collection('channel_runs').patch({ id: kind, state: 'running' }, { set });
}

/** Resumes runs whose process is gone, and starts those that are due. */
export async function tendRuns(context: AppContext): Promise<void> {
  const runs = context.db.collection('channel_runs');
  for (const kind of ChannelRunKind.options) {
    const now = context.now();
    const owner = context.randomText(16);
    const abandoned: Filter<ChannelRunRecord> = { id: kind, state: 'running', expires_at: { lte: now } };
    const taken = await runs.patch(abandoned, { set: { owner, expires_at: now + leaseMs } });
    if (taken !== null) begin(context, kind, taken);
    else await beginWhenDue(context, kind);
  }
}

async function beginWhenDue(context: AppContext, kind: ChannelRunKind): Promise<void> {
  const minutes = context.env[kinds[kind].frequency];
  if (minutes === 0) return;
  const last = await context.db.collection('channel_runs').get(kind);
  const now = Math.floor(context.now() / 1000);
  // The first one is not made at the start of a server: who starts it ten times would test ten times.
  if (last === null) await context.db.collection('channel_runs').insert(waiting(kind, now));
  else if (last.state !== 'running' && now - last.started_at >= minutes * 60) {
    await startRun(context, kind, { actor: null, language: 'zh' }).catch((failure: unknown) => {
      if (!(failure instanceof AppError)) throw failure;
    });
  }
}

function waiting(kind: ChannelRunKind, now: number): ChannelRunRecord {
  const none = { total: 0, done: 0, failed: 0, disabled: 0, enabled: 0, current: [], last_id: 0 };
  return {
    id: kind,
    state: 'waiting',
    owner: '',
    expires_at: 0,
    started_at: now,
    ended_at: 0,
    started_by: 0,
    started_name: '',
    language: 'zh',
    ...none,
  };
}

function present(record: ChannelRunRecord | undefined): ChannelRun | null {
  if (record === undefined || record.state === 'waiting') return null;
  const { state, started_at, ended_at, started_name, total, done, failed, disabled, enabled, current, last_id } = record;
  return { state, started_at, ended_at, started_by: started_name, total, done, failed, disabled, enabled, current, last_id };
}

function begin(context: AppContext, kind: ChannelRunKind, record: ChannelRunRecord): void {
  const loops = loopsIn(context);
  loops.owners.add(record.owner);
  void walk(context, kind, record)
    .catch((failure: unknown) => {
      // The lease expires, and another process resumes the run.
      if (!loops.isClosing) context.log.warn({ run: kind, reason: String(failure) }, 'a run over all channels was interrupted');
    })
    .finally(() => loops.owners.delete(record.owner));
}

function loopsIn(context: AppContext): Loops {
  const known = loopsOf.get(context);
  if (known !== undefined) return known;
  const loops: Loops = { isClosing: false, owners: new Set() };
  loopsOf.set(context, loops);
  // On shutdown the lease is given back, so that another process resumes at once.
  context.onClose(async () => {
    loops.isClosing = true;
    for (const owner of loops.owners) {
      await context.db.collection('channel_runs').patch({ owner, state: 'running' }, { set: { expires_at: 0, current: [] } });
    }
  });
  return loops;
}

async function walk(context: AppContext, kind: ChannelRunKind, record: ChannelRunRecord): Promise<void> {
  const { filter, step } = kinds[kind];
  const { owner, language } = record;
  const loops = loopsIn(context);
  const runs = context.db.collection('channel_runs');
  const mine: Filter<ChannelRunRecord> = { id: kind, owner, state: 'running' };
  const actor = await actorOf(context, record.started_by);
  const isMine = async (set: Partial<ChannelRunRecord> = {}) =>
    !loops.isClosing && (await runs.patch(mine, { set: { ...set, expires_at: context.now() + leaseMs } })) !== null;

  const one = async (channel: ChannelRecord): Promise<void> => {
    const outcome = await step(
      { context, actor, language, isByHand: record.started_by !== 0, isWanted: () => !loops.isClosing },
      channel,
    ).catch((failure: unknown) => {
      // One channel's fault must not begin the run again and again with its neighbours, whose tests cost.
      if (failure instanceof DatabaseUnavailable || loops.isClosing) throw failure;
      context.log.error({ run: kind, channel: channel.id, err: failure }, 'a step of a run over all channels failed');
      return { isFailed: true, isDisabled: false, isEnabled: false };
    });
    if (!loops.isClosing) await runs.patch(mine, { increment: counted(outcome) });
  };
  for (let lastId = record.last_id; ;) {
    const channels = await context.db
      .collection('channels')
      .find({ and: [filter, { id: { gt: lastId } }] }, { sort: [['id', 1]], limit: width });
    if (!(await isMine({ current: channels.map(({ id }) => id), last_id: lastId }))) return;
    const last = channels.at(-1);
    if (last === undefined) {
      // Only runs started by hand report their end; scheduled ones are silent. A repeated notice is dropped.
      if (kind === 'tests' && record.started_by !== 0) await noticeOfTests(context, record.started_at);
      await runs.patch(mine, { set: { state: 'done', ended_at: Math.floor(context.now() / 1000), current: [] } });
      return;
    }
    const renewal = setInterval(() => void isMine().catch(() => {}), renewMs);
    try {
      await Promise.all(channels.map(one));
    } finally {
      clearInterval(renewal);
    }
    lastId = last.id;
    await sleep(context.env.POLLING_INTERVAL * 1000);
  }
}

/** In whose name tests are made: who started them, else the first super administrator. */
async function actorOf({ db }: AppContext, startedBy: number): Promise<UserRecord> {
  const users = db.collection('users');
  const actor = (startedBy === 0 ? null : await users.get(startedBy)) ?? (await users.first({ role: Role.root }));
  if (actor === null) throw new Error('There is no administrator in whose name channels could be tested');
  return actor;
}

function counted({ isFailed, isDisabled, isEnabled }: StepOutcome): Record<'done' | 'failed' | 'disabled' | 'enabled', number> {
  return { done: 1, failed: Number(isFailed), disabled: Number(isDisabled), enabled: Number(isEnabled) };
}
