import { type logApi, type LogTimeline, LogType } from '#shared/logs.ts';
import type { QueryOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import { countCallsByHour } from '#server/logs/count-by-hour.ts';
import { type Frame, frameOf, placeOf } from '#server/logs/time-steps.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { callQuestion, logFilter } from './log-filter.ts';
import type { TokenScope } from './token-scope.ts';

type TimelineContext = Pick<AppContext, 'db' | 'now'>;
type Query = Partial<QueryOf<typeof logApi.timeline>> & TokenScope;

/** Counts that run at the same time. */
const countsAtOnce = 4;

/** How many rows there are under the filters, step by step. @throws {AppError} `invalid_field` */
export async function readLogTimeline(context: TimelineContext, query: Query, userId?: number): Promise<LogTimeline> {
  const { step = 'hour', type = 0, result } = query;
  const frame = frameOf(query, step, Math.floor(context.now() / 1000));
  const calls = frame.steps.map(() => 0);
  const errors = frame.steps.map(() => 0);
  const isAboutCalls = (type === 0 || type === LogType.consumption) && result !== 'refused';
  if (isAboutCalls && !isSummedByRows(query)) await addCalls(context, query, { frame, calls, errors, userId });
  else await addRows(context, query, { frame, calls, errors, userId });
  return { step, start: frame.start, end: frame.end, at: frame.at, steps: frame.steps, calls, errors };
}

interface Counting {
  frame: Frame;
  calls: number[];
  errors: number[];
  userId: number | undefined;
}

async function addCalls(context: TimelineContext, query: Query, { frame, calls, errors, userId }: Counting): Promise<void> {
  const question = await callQuestion(context, query, userId);
  if (question === null) return;
  const { start: from, steps: bounds, known } = frame;
  const to = Math.min(frame.end, known);
  for (const [start, count] of await countCallsByHour(context.db, question, { from, to, bounds })) {
    const place = placeOf(frame, start);
    if (place === -1) continue;
    calls[place] = (calls[place] ?? 0) + count.calls;
    errors[place] = (errors[place] ?? 0) + count.errors;
  }
}

/** Rows of other kinds are few, and counted in the index of their kind. */
async function addRows(context: TimelineContext, query: Query, { frame, calls, errors, userId }: Counting): Promise<void> {
  const rows = await logFilter(context, query, userId);
  if (rows === null) return;
  const isRefused = query.result === 'refused' || query.type === LogType.refusal;
  const places = frame.steps.map((start, place) => ({ start, end: frame.steps[place + 1] ?? frame.end, place }));
  await inParallel(places, countsAtOnce, async ({ start, end, place }) => {
    const time = [{ created_at: { gte: start } }, { created_at: { lt: end } }];
    const count = await context.db.collection('logs').count({ and: [...rows, ...time] }, mostCounted);
    calls[place] = count;
    if (isRefused) errors[place] = count;
    else if (isSummedByRows(query))
      errors[place] = await context.db.collection('logs').count({ and: [...rows, ...time, { failed: { unindexedEq: 1 } }] }, mostCounted);
  });
}

/** Hourly sums do not distinguish sessions, broken caches or members. */
function isSummedByRows({ session, cache, token_ids: tokens }: Query): boolean {
  return session !== undefined || cache !== undefined || tokens !== undefined;
}

/** Of one step: beyond this many a bar is as high as it gets. */
const mostCounted = 100_000;
