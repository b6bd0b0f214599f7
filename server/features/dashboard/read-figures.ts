// What the dashboard shows of a time: the whole, the same of the time before, and the largest by name, step by step.
import { AppError } from '#shared/errors.ts';
import type { QueryOf } from '#shared/contract.ts';
import {
  type dashboardApi,
  namedSeries,
  namedTotals,
  type UsageBy,
  type UsageFigures,
  type UsageLatency,
  type UsageStep,
  type UsageSums,
} from '#shared/dashboard.ts';
import type { AppContext } from '#server/context.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import { addLatency, emptyLatency, type Histogram, type Latency, percentileOf } from '#server/logs/latency-histogram.ts';
import { type LatencyCell, readLatency } from '#server/logs/read-latency.ts';
import { completeFrom, readUsage, readUsageState, readUsageTotals, type UsageCell } from '#server/logs/read-usage.ts';
import { addSums, emptySums } from '#server/logs/rollup-shape.ts';
import { labelled, linesOf } from './name-labels.ts';
import { type Frame, frameOf, placeOf, type Steps } from '#server/logs/time-steps.ts';

type Context = Pick<AppContext, 'db' | 'now'>;
type Query = Partial<QueryOf<typeof dashboardApi.figures>>;

/** Figures that change while they are read are read again. */
const tries = 3;

/** `ownId`: only that user's calls, and not by what concerns administrators. @throws {AppError} `invalid_field`, `forbidden` */
export async function readFigures(context: Context, query: Query, ownId?: number): Promise<UsageFigures> {
  const { by = 'model', step = 'hour' } = query;
  if (ownId !== undefined && (by === 'channel' || by === 'user')) throw new AppError('forbidden');
  const frame = frameOf(query, step, Math.floor(context.now() / 1000));
  let userId = ownId;
  if (ownId === undefined && query.username !== undefined) {
    const user = await context.db.collection('users').first({ username: query.username });
    if (user === null) throw new AppError('user_not_found');
    userId = user.id;
  }
  const scope = { userId, by: userId !== undefined && by === 'user' ? ('model' as const) : by };
  for (let attempt = 1; ; attempt += 1) {
    const state = await readUsageState(context.db);
    const figures = await figuresOf(context, { frame, scope, step, state });
    const isSame = attempt >= tries || (await readUsageState(context.db)).generation === state.generation;
    if (isSame) return figures;
  }
}

interface Plan {
  frame: Frame;
  scope: { userId: number | undefined; by: UsageBy };
  step: UsageStep;
  state: Awaited<ReturnType<typeof readUsageState>>;
}

async function figuresOf(context: Context, { frame, scope, step, state }: Plan): Promise<UsageFigures> {
  const { db } = context;
  const { userId, by } = scope;
  const { start: from, steps: bounds, before } = frame;
  const to = Math.min(frame.end, frame.known);
  const [whole, latency, previous, totals] = await Promise.all([
    readUsage(db, state, { kind: 'all', userId, from, to, bounds }),
    readLatency(db, state, { userId, from, to, bounds }),
    readUsage(db, state, { kind: 'all', userId, from: before.start, to: before.end, bounds: before.steps }),
    readUsageTotals(db, state, { kind: by, userId, from, to }),
  ]);
  const lines = await linesOf(context, { by, userId, totals });
  const ranked = lines.toSorted(({ sums: a }, { sums: b }) => b.quota - a.quota || b.calls - a.calls);
  const drawn = ranked.slice(0, namedSeries);
  const names = drawn.flatMap((line) => line.summedNames);
  const series = names.length === 0 ? [] : await readUsage(db, state, { kind: by, userId, from, to, bounds, names });
  const listed = await labelled(context, by, userId, ranked.slice(0, namedTotals));
  const complete = completeFrom(state, { from, to });
  return {
    start: frame.start,
    end: frame.end,
    at: frame.at,
    step,
    by,
    steps: frame.steps,
    whole: inSteps(frame, whole),
    latency: latencyIn(frame, latency),
    previous: inSteps(before, previous),
    previous_so_far: sumUntil(previous, before.start + frame.at - frame.start),
    totals: listed,
    others: { count: ranked.length - listed.length, sums: sumOf(ranked.slice(namedTotals).map(({ sums }) => sums)) },
    series: drawn.map(({ name, summedNames }) => ({
      name,
      sums: inSteps(
        frame,
        series.filter((cell) => summedNames.includes(cell.name)),
      ),
    })),
    complete_from: complete === from ? null : complete,
  };
}

/** Of the hour or quarter that it falls into the same part, as if it had been even. `time`: unix seconds. */
function sumUntil(cells: readonly UsageCell[], time: number): CallSums {
  return sumOf(
    cells.map(({ start, seconds, sums }) => {
      const share = Math.min(1, Math.max(0, (time - start) / seconds));
      return share === 1 ? sums : partOf(sums, share);
    }),
  );
}

function partOf(sums: CallSums, share: number): CallSums {
  const part = (sum: number): number => Math.round(sum * share);
  return {
    calls: part(sums.calls),
    errors: part(sums.errors),
    quota: part(sums.quota),
    prompt_tokens: part(sums.prompt_tokens),
    completion_tokens: part(sums.completion_tokens),
    first_byte_ms: part(sums.first_byte_ms),
    duration_ms: part(sums.duration_ms),
  };
}

function inSteps(frame: Steps, cells: readonly UsageCell[]): UsageSums[] {
  const sums = frame.steps.map(() => emptySums());
  for (const cell of cells) {
    const place = sums[placeOf(frame, cell.start)];
    if (place !== undefined) addSums(place, cell.sums);
  }
  return sums;
}

function latencyIn(frame: Frame, cells: readonly LatencyCell[]): NonNullable<UsageFigures['latency']> {
  const whole = emptyLatency();
  const sums = frame.steps.map(() => emptyLatency());
  for (const cell of cells) {
    addLatency(whole, cell.latency);
    const place = sums[placeOf(frame, cell.start)];
    if (place !== undefined) addLatency(place, cell.latency);
  }
  return { whole: percentilesOf(whole), steps: sums.map(percentilesOf) };
}

function percentilesOf({ duration, first_byte }: Latency): UsageLatency {
  const both = (histogram: Histogram) => {
    const [p50, p95] = [percentileOf(histogram, 0.5), percentileOf(histogram, 0.95)];
    return p50 === null || p95 === null ? null : { p50, p95 };
  };
  return { duration: both(duration), first_byte: both(first_byte) };
}

function sumOf(parts: readonly CallSums[]): CallSums {
  const sum = emptySums();
  for (const part of parts) addSums(sum, part);
  return sum;
}
