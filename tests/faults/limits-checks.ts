// What must be true of budgets and rate limits at every moment, and when everything has ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { limitsIn } from '#server/rate-limits/bound-limits.ts';
import type { RunningContext } from '#server/create-context.ts';
import type { Database } from '#server/db/database.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { balanceOf, idsIn, leasedOf } from '#server/money/account.ts';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { failOrphans } from '#server/slices/responses/background.ts';
import { LogType } from '#shared/logs.ts';
import { type LimitedAccounts, narrow } from '#tests/faults/limits-scene.ts';
import { pollAll } from '#tests/faults/task-providers.ts';

export interface Moments {
  /** How often the budgets were looked at while calls ran. */
  samples: number;
}

interface Report extends Moments {
  problems: string[];
}

const sampleMs = 50;
const mostProblems = 20;
const minute = 60_000;

/** Looks at the budgets until it is stopped. */
export async function checkMoments(db: Database, report: Report, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const period of await db.collection('budget_periods').find({})) {
      const { id, key, used_quota: used, base } = period;
      // A balance below zero would be money that was spent beyond the budget.
      if ((used > base || balanceOf(period) < 0) && report.problems.length < mostProblems)
        report.problems.push(`${used} of ${base} were spent in the period ${id} of ${key}, ${balanceOf(period)} is left`);
    }
    report.samples += 1;
    await sleep(sampleMs);
  }
}

interface Ended {
  known: LimitedAccounts;
  narrowTokens: readonly number[];
  report: Report;
}

export async function checkLimits(context: RunningContext, { narrowTokens, report }: Ended): Promise<void> {
  await endAll(context);
  const { db } = context;
  const rows: LogRecord[] = [];
  for await (const row of db.collection('logs').each({ type: LogType.consumption })) rows.push(row);
  await checkBudgets(db, rows, report);
  for (const id of narrowTokens) await checkCounters(db, rows, { id, isExact: id === narrowTokens.at(-1), report });
  await checkPlaces(db, report);
}

/** Whatever the killed processes have left, and work that ends later. */
async function endAll(context: RunningContext): Promise<void> {
  await context.ledger.recoverCrashed();
  await failOrphans({ ...context, now: () => Date.now() + 2 * minute });
  for (let minutes = 40; minutes < 300; minutes += 40) {
    const later = { ...context, now: () => Date.now() + minutes * minute };
    await pollBatches(later);
    await pollAll(later);
  }
}

/** What was spent of a budget is the sum of its rows without what was refunded, and nothing is reserved. */
async function checkBudgets(db: Database, rows: readonly LogRecord[], { problems }: Report): Promise<void> {
  const charged = new Map<number, number>();
  for (const { budgets = '', quota } of rows) for (const id of idsIn(budgets)) charged.set(id, (charged.get(id) ?? 0) + quota);
  const refunded = new Map<number, number>();
  for await (const { account_id: id, used = 0, state } of db.collection('ledger').each({ account: 'budget' }))
    if (state === 'done') refunded.set(id, (refunded.get(id) ?? 0) - used);
  for (const period of await db.collection('budget_periods').find({})) {
    const { id, key, used_quota: used, base } = period;
    const expected = (charged.get(id) ?? 0) - (refunded.get(id) ?? 0);
    if (used !== expected) problems.push(`the rows of ${key} are ${expected}, and ${used} were spent`);
    if (balanceOf(period) !== base - used) problems.push(`${key} has ${balanceOf(period)} left of ${base} after ${used}`);
    if (leasedOf(period) !== 0) problems.push(`${key} has ${leasedOf(period)} reserved`);
  }
}

/** Counters of a key have counted all that its rows have used, at most their limits, and no more than was used if no process was killed. */
async function checkCounters(
  db: Database,
  rows: readonly LogRecord[],
  { id, isExact, report: { problems } }: { id: number; isExact: boolean; report: Report },
): Promise<void> {
  const token = await db.collection('tokens').get(id);
  if (token === null) throw new Error('The key is gone');
  const own = rows.filter(({ token_id: tokenId }) => tokenId === id);
  const used = { requests: own.length, tokens: own.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0), parallel: 0 };
  for (const { key, limit } of limitsIn(token, 'token').counted) {
    if (limit.meter === 'parallel' || !(limit.meter in used)) continue;
    let counted = 0;
    for await (const row of db.collection('limits').each({})) if (row.id.startsWith(`${key}:`)) counted += row.count;
    const least = limit.meter === 'requests' ? used.requests : used.tokens;
    if (isExact && counted !== least) problems.push(`${counted} ${limit.meter} are counted without a kill, and ${least} were used`);
    if (counted < least) problems.push(`${counted} ${limit.meter} are counted, and ${least} were used`);
    if (counted > limit.amount) problems.push(`${counted} ${limit.meter} are counted with a limit of ${limit.amount}`);
  }
  if (used.requests > narrow.requests) problems.push(`${used.requests} requests are in the log with a limit of ${narrow.requests}`);
}

/** Places belong to processes, and those that no living process has are of dead ones. */
async function checkPlaces(db: Database, { problems }: Report): Promise<void> {
  const alive = new Set((await db.collection('processes').find({ state: 'alive' })).map(({ id }) => id));
  for await (const { id, count, places } of db.collection('limits').each({})) {
    if (places === undefined) continue;
    const held = Object.entries(places);
    const all = held.reduce((sum, [, place]) => sum + place, 0);
    if (all !== count || count > narrow.parallel) problems.push(`${id} counts ${count}, and its processes have ${all}`);
    for (const [process, place] of held) if (place > 0 && alive.has(process)) problems.push(`${process}, which has ended, has places`);
  }
}
