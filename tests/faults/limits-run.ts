// A thousand calls of every kind at the same time on two processes, of which one is killed in the middle: hard budgets are never exceeded, and are to the unit
// what the rows of the log say; rate limits hold at the provider.
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '#server/db/open.ts';
import { checkLimits, checkMoments, type Moments } from '#tests/faults/limits-checks.ts';
import { callOne, mixedKinds, narrowKinds, type Tally } from '#tests/faults/limits-calls.ts';
import {
  addNarrowKey,
  type LimitedAccounts,
  type LimitsProviders,
  narrow,
  raiseBudgets,
  seedLimits,
  startLimitsProviders,
} from '#tests/faults/limits-scene.ts';
import { createScratch, type ScratchDatabase } from '#tests/support/scratch-database.ts';
import { runAudit, type ServerProcess, startServer, workersOf } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

export interface LimitsRunOptions {
  kills: number;
  /** Calls that are made at the same time; a kill for each such wave. */
  calls: number;
  /** URL of a MongoDB server; undefined: a file of its own. */
  mongo?: string | undefined;
  /** Whether the two processes are workers of one server. If false, they are two servers. */
  hasWorkers: boolean;
  onKill?: (line: string) => void;
}

export interface LimitsReport extends Tally, Moments {
  kills: number;
  /** Most that ran at the provider at the same time with a limit of four, and most requests of a key that it received. */
  mostParallel: number;
  mostRequests: number;
}

const mostDelayMs = 1_500;
/** Quota that a wave can spend of each budget of a key or a member, per call that is made. */
const perCall = 100;
/** Part of the calls that has the key with rate limits. */
const narrowPart = 0.1;
/** Tries of a call that others have no place for, at most and for a number of calls. */
const triesInTurn = 30;
const callsOfTry = 25;
/** Tries of a call that a budget refuses: what others have reserved comes back. */
const tries = 4;

export async function runLimits(options: LimitsRunOptions): Promise<LimitsReport> {
  const scratch = await createScratch(options.mongo);
  await using providers = await startLimitsProviders();
  const report: LimitsReport = { kills: 0, succeeded: {}, refused: {}, cut: 0, problems: [], samples: 0, mostParallel: 0, mostRequests: 0 };
  let amount = options.calls * perCall;
  const known = await scratch.withContext((context) => seedLimits(context, providers, amount));
  const env = { DATABASE_URL: scratch.url, ...(options.hasWorkers ? { WORKERS: '2' } : {}) };
  const count = options.hasWorkers ? 1 : 2;
  const servers: (ServerProcess | undefined)[] = [];
  // One after the other: the first one prepares the database.
  while (servers.length < count) servers.push(await startServer(env));
  const narrowTokens: number[] = [];
  const watched = await openDatabase(scratch.url, { hasSchema: true });
  const watching = new AbortController();
  const moments = checkMoments(watched, report, watching.signal);
  try {
    // The last wave is left alone: its counters are to be exact.
    for (let turn = 0; turn <= options.kills; turn += 1) {
      const { id, key } = await scratch.withContext(async (context) => {
        await raiseBudgets(context, known, amount);
        return addNarrowKey(context, known);
      });
      narrowTokens.push(id);
      await wave({ options, servers, env, known, providers, report, narrowKey: key, isKilled: turn < options.kills });
      const audited = await runAudit(scratch.url);
      if (audited.code !== 0) report.problems.push(`the audit after kill ${report.kills} ended with ${audited.code}: ${audited.output}`);
      options.onKill?.(
        `kill ${report.kills}: ${JSON.stringify({ succeeded: sum(report.succeeded), refused: sum(report.refused), cut: report.cut })}`,
      );
      amount += options.calls * perCall;
    }
    for (const server of servers) await server?.kill('SIGTERM');
  } finally {
    for (const server of servers) await server?.kill('SIGKILL').catch(() => undefined);
    watching.abort();
    await moments;
    await watched.close();
  }
  await finish(scratch, providers, { known, narrowTokens, report });
  return report;
}

interface Wave {
  options: LimitsRunOptions;
  servers: (ServerProcess | undefined)[];
  env: Record<string, string>;
  known: LimitedAccounts;
  providers: LimitsProviders;
  report: LimitsReport;
  narrowKey: string;
  isKilled: boolean;
}

/** All calls at once, and in the middle of them a kill. */
async function wave({ options, servers, env, known, providers, report, narrowKey, isKilled }: Wave): Promise<void> {
  const front = providers.narrow;
  Object.assign(front, { received: 0, most: front.running });
  const narrowCalls = Math.ceil(options.calls * narrowPart);
  const calling = Promise.all(
    Array.from({ length: options.calls }, (_, index) => {
      const origin = () => (servers[index % servers.length] ?? servers.find((server) => server !== undefined))?.origin;
      if (index < narrowCalls)
        return callOne(
          narrowKinds,
          { key: narrowKey, origin },
          report,
          index,
          Math.min(triesInTurn, Math.ceil(options.calls / callsOfTry)),
        );
      const { person, member } = known.keys;
      return callOne(mixedKinds, { key: index % 2 === 0 ? person : member, origin }, report, index >> 1, tries);
    }),
  );
  const before = sum(report.succeeded);
  await until(() => sum(report.succeeded) > before, 60_000);
  if (isKilled) {
    await sleep(Math.random() * mostDelayMs);
    await killOne(options, servers, report.kills);
    report.kills += 1;
  }
  for (const [at, server] of servers.entries()) if (server === undefined) servers[at] = await startServer(env);
  await calling;
  report.mostParallel = Math.max(report.mostParallel, front.most);
  report.mostRequests = Math.max(report.mostRequests, front.received);
  if (front.most > narrow.parallel) report.problems.push(`${front.most} calls ran with a limit of ${narrow.parallel}`);
  if (front.received > narrow.requests) report.problems.push(`${front.received} requests passed with a limit of ${narrow.requests}`);
}

async function killOne({ hasWorkers }: LimitsRunOptions, servers: (ServerProcess | undefined)[], turn: number): Promise<void> {
  const at = turn % servers.length;
  const victim = servers[at];
  if (victim === undefined) return;
  // Each third time the whole server.
  const workers = hasWorkers && turn % 3 !== 2 ? workersOf(victim.pid) : [];
  const worker = workers[Math.floor(Math.random() * workers.length)];
  if (worker !== undefined) {
    process.kill(worker, 'SIGKILL');
    return;
  }
  const own = workersOf(victim.pid);
  await victim.kill('SIGKILL');
  for (const pid of own) killed(pid);
  servers[at] = undefined;
}

/** Workers end with their server by themselves, a moment later. */
function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

interface Finished {
  known: LimitedAccounts;
  narrowTokens: readonly number[];
  report: LimitsReport;
}

/** Providers end what they have, later processes settle it, and the books are compared. */
async function finish(scratch: ScratchDatabase, providers: LimitsProviders, { known, narrowTokens, report }: Finished): Promise<void> {
  for (const id of providers.batches.batches.keys()) await providers.batches.run({}, id);
  for (const [index, id] of providers.videos.sora.taken.entries())
    providers.videos.sora.report(id, { status: index % 3 === 0 ? 'failed' : 'completed' });
  await scratch.withContext((context) => checkLimits(context, { known, narrowTokens, report }));
  const audited = await runAudit(scratch.url);
  if (audited.code !== 0) report.problems.push(`the last audit ended with ${audited.code}: ${audited.output}`);
  await scratch.remove();
}

export function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((all, one) => all + one, 0);
}
