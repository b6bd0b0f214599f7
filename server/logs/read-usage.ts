// Reads sums of calls by hour for the dashboard: folded hours from their sums, the newest from rows, by index and in
// the reader thread. All parts of one query read the rows once. Hours that contain the start of a day or step are read
// by quarter.
import type { Filter, GroupRequest, GroupRow } from '#server/db/collection.ts';
import type { CallSums } from '#server/db/records/call-sums.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { UsageSumRecord } from '#server/db/records/usage-sum.ts';
import type { Database } from '#server/db/database.ts';
import { cutHours, inQuarters, nextHour, partsOf, quarterSumsOf, type TimedSums } from './hour-quarters.ts';
import { dayOf, daySeconds, hourOf, hourSeconds } from './rollup-shape.ts';
import { rollupCacheOf } from './rollup-cache.ts';
import { callsOfUser, type RowHour, rowSumsCacheOf } from './row-sums-cache.ts';
import { addNamed, cellName, groupRows, rowTokenName } from './row-usage.ts';
import { usageDayKey, usageKey, type UsageKind } from './usage-keys.ts';

export interface UsageQuestion {
  kind: UsageKind;
  /** Owner of the calls; all users if undefined. */
  userId?: number | undefined;
  /** Unix seconds, half-open. */
  from: number;
  to: number;
  /** Times at which sums are split; these and both ends are multiples of a quarter hour. */
  bounds?: readonly number[] | undefined;
  /** Restricts the names. */
  names?: readonly string[] | undefined;
}

type Span = Pick<UsageQuestion, 'from' | 'to'>;
/** Query for whole hours. */
type HourQuestion = Omit<UsageQuestion, 'bounds'> & { cut: ReadonlySet<number> };

/** Sums of an hour or a quarter. */
export interface UsageCell extends TimedSums {
  name: string;
}

/** Progress of folding at one moment, and rows read since. */
export interface UsageState {
  /** Hours before this one are read from sums. */
  until: number;
  daysUntil: number;
  /** Hours before this one have latencies. */
  latencyUntil: number;
  /** Earlier hours that have changed since, and are read from rows. */
  changed: number[];
  generation: number;
  /** By hour, user and split; `null` if there are too many rows, so that the store sums them. */
  rows: Map<string, Promise<RowHour | null>>;
}

/** Maximum hours read from rows; more exist only while an old log is being folded. */
const mostRowHours = 8;
/** Rows added per step. */
const rowsPerTurn = 1_000;

export async function readUsageState(db: Database): Promise<UsageState> {
  const folds = db.collection('log_folds');
  const head = await folds.get('head');
  const until = head?.usage_until ?? 0;
  const marks = head === null ? [] : await folds.find({ hour: { gte: head.deleted_until ?? 0 } }, { sort: [['hour', -1]], limit: 200 });
  const changed = [...new Set(marks.map((mark) => mark.hour ?? 0))].filter((hour) => hour < until);
  return {
    until,
    daysUntil: head?.usage_days_until ?? 0,
    latencyUntil: Math.min(head?.latency_until ?? 0, until),
    changed: changed.slice(0, mostRowHours),
    generation: head?.generation ?? 0,
    rows: new Map(),
  };
}

/** First hour of the span with complete data: later than `from` while an old log is being folded. */
export function completeFrom({ until }: UsageState, { from, to }: Span): number {
  const unfolded = (to - Math.max(from, until)) / hourSeconds;
  return unfolded > mostRowHours ? to - mostRowHours * hourSeconds : from;
}

/** Sums by hour and name; by quarter in hours that contain a bound or an end. */
export async function readUsage(db: Database, state: UsageState, question: UsageQuestion): Promise<UsageCell[]> {
  const { from, to, bounds = [] } = question;
  const cut = cutHours([...bounds, from, to]);
  const whole = { ...question, ...wholeHours(question), cut };
  const hours = rowHours(state, whole);
  const skipped = new Set(hours);
  const [folded, rows] = await Promise.all([
    foldedCells(db, state, whole),
    Promise.all(hours.map((hour) => rowCells(db, state, whole, hour))),
  ]);
  const cells = [...folded.filter((cell) => !skipped.has(hourOf(cell.start))), ...rows.flat()];
  return cut.size === 0 ? cells : cells.filter(({ start }) => start >= from && start < to);
}

/** Hours that overlap the span. */
export function wholeHours({ from, to }: Span): Span {
  return { from: hourOf(from), to: nextHour(to) };
}

/** Sums by name over the whole span; whole days are read as days. */
export async function readUsageTotals(db: Database, state: UsageState, question: UsageQuestion): Promise<Map<string, CallSums>> {
  const within = { ...question, from: nextHour(question.from), to: hourOf(question.to) };
  const totals = new Map<string, CallSums>();
  if (within.from >= within.to) {
    addCells(totals, await readUsage(db, state, question));
    return totals;
  }
  await addHours(totals, db, state, within);
  for (const end of [
    { from: question.from, to: within.from },
    { from: within.to, to: question.to },
  ]) {
    if (end.from < end.to) addCells(totals, await readUsage(db, state, { ...question, ...end }));
  }
  return totals;
}

async function addHours(totals: Map<string, CallSums>, db: Database, state: UsageState, question: UsageQuestion): Promise<void> {
  const { from, to, kind, userId } = question;
  const key = usageKey(kind, userId);
  const dayKey = usageDayKey(key);
  // Hours that are read from rows, or folded only hourly, are at the end.
  const folded = Math.min(to, state.until);
  const isChanged = state.changed.some((hour) => hour >= from && hour < folded);
  if (kind === 'all' || dayKey === undefined || isChanged || from >= folded) {
    addCells(totals, await readUsage(db, state, question));
    return;
  }
  const firstDay = Math.min(dayOf(from + daySeconds - 1), folded);
  const lastDay = Math.max(firstDay, Math.min(dayOf(folded), state.daysUntil));
  const byName = async (one: string, span: { from: number; to: number }) =>
    span.from >= span.to
      ? []
      : rollupCacheOf(db).ofUsage(state.generation, { filter: ofKey(one, { ...question, ...span }), by: ['name'], sum: summed });
  const [rows, light, ...sums] = await Promise.all([
    readUsage(db, state, { ...question, from: folded }),
    userId === undefined ? [] : lightCells(db, state, { ...question, userId, to: folded, cut: new Set() }),
    byName(key, { from, to: firstDay }),
    byName(dayKey, { from: firstDay, to: lastDay }),
    byName(key, { from: lastDay, to: folded }),
  ]);
  for (const cells of [rows, light]) addCells(totals, cells);
  for (const [index, row] of sums.flat().entries()) {
    addNamed(totals, String(row['name']), sumsOf(row));
    // There may be thousands of tokens: yields to streams.
    if (index % rowsPerTurn === rowsPerTurn - 1) await new Promise(setImmediate);
  }
}

function addCells(totals: Map<string, CallSums>, cells: readonly UsageCell[]): void {
  for (const { name, sums } of cells) addNamed(totals, name, sums);
}

/** Hours of a span that are read from rows. */
export function rowHours(state: UsageState, { from, to }: Span): number[] {
  const hours = state.changed.filter((hour) => hour >= from && hour < to);
  for (let hour = hourOf(to - 1); hour >= Math.max(from, state.until) && hours.length < 2 * mostRowHours; hour -= hourSeconds)
    hours.push(hour);
  return hours;
}

async function foldedCells(db: Database, state: UsageState, question: HourQuestion): Promise<UsageCell[]> {
  const { kind, userId } = question;
  const within = { ...question, to: Math.min(question.to, state.until) };
  if (within.from >= within.to) return [];
  // The total of one user is the sum over models.
  const key = usageKey(kind === 'all' && userId !== undefined ? 'model' : kind, userId);
  const by = kind === 'all' ? (['start'] as const) : (['start', 'name'] as const);
  const cut = [...question.cut].filter((hour) => hour >= within.from && hour < within.to);
  const stored = rollupCacheOf(db);
  const [rows, quarters, light] = await Promise.all([
    stored.ofUsage(state.generation, { filter: ofKey(key, within), by, sum: summed }),
    cut.length === 0 ? [] : stored.ofUsage(state.generation, { filter: ofKey(key, { ...within, hours: cut }), by, sum: quarterSums }),
    userId === undefined ? [] : lightCells(db, state, { ...within, userId }),
  ]);
  return [...cellsOf(rows, quarters, { cut: question.cut, by, nameOf: (row) => String(row['name'] ?? '') }), ...light];
}

interface Reading {
  cut: ReadonlySet<number>;
  /** Keys of the rows; the first is the hour. */
  by: readonly [hour: string, ...names: string[]];
  nameOf: (row: GroupRow) => string;
}

/** `quarters`: sums of split hours, from `quarterSums`. */
function cellsOf(rows: readonly GroupRow[], quarters: readonly GroupRow[], reading: Reading): UsageCell[] {
  const idOf = (row: GroupRow) => JSON.stringify(reading.by.map((key) => row[key]));
  const later = new Map(quarters.map((row) => [idOf(row), row]));
  return rows.flatMap((row): UsageCell[] => {
    const [start, name] = [Number(row[reading.by[0]]), reading.nameOf(row)];
    if (!reading.cut.has(start)) return [{ start, seconds: hourSeconds, name, sums: sumsOf(row) }];
    return inQuarters(start, sumsOf(row), later.get(idOf(row))).map((cell) => ({ ...cell, name }));
  });
}

/** Hours in which the user made too few calls for own sums. */
async function lightCells(db: Database, { generation }: UsageState, question: HourQuestion & { userId: number }): Promise<UsageCell[]> {
  const { kind, userId, from, to, names } = question;
  const stored = rollupCacheOf(db);
  const heavy = await stored.ofUsage(generation, { filter: ofKey(usageKey('model', userId), { from, to }), by: ['start'] });
  const known = new Set(heavy.map((row) => Number(row['start'])));
  const by = lightKeys[kind];
  const ask = (time: Filter<LogHourRecord>[], sum: GroupRequest<LogHourRecord>['sum']) =>
    stored.ofHours(generation, { filter: { user_id: userId, and: time, hidden: false }, by, ...(sum === undefined ? {} : { sum }) });
  const cut = [...question.cut].filter((hour) => hour >= from && hour < to && !known.has(hour));
  const [quarters, ...found] = await Promise.all([
    cut.length === 0 ? [] : ask([{ hour: { in: cut } }], quarterSums),
    ...timesOf(known, { from, to }).map((time) => ask(time, summed)),
  ]);
  const field: string | undefined = by.at(1);
  const nameOf = (row: GroupRow): string => (kind === 'token' ? rowTokenName(row, userId) : field === undefined ? '' : String(row[field]));
  const cells = cellsOf(found.flat(), quarters, { cut: question.cut, by, nameOf });
  return cells.filter((cell) => names === undefined || names.includes(cell.name));
}

const lightKeys = {
  all: ['hour'],
  model: ['hour', 'model_name'],
  channel: ['hour', 'channel_id'],
  user: ['hour', 'user_id'],
  token: ['hour', 'token_id', 'token_name'],
} as const satisfies Record<UsageKind, readonly string[]>;

/** Maximum spans queried separately. */
const mostPieces = 8;

/** Unknown hours as spans, which an index can search one by one. */
function timesOf(known: ReadonlySet<number>, span: Span): Filter<LogHourRecord>[][] {
  const pieces = piecesOf(known, span);
  if (pieces.length <= mostPieces) return pieces.map((piece) => [{ hour: { gte: piece.from } }, { hour: { lt: piece.to } }]);
  const hours = pieces.flatMap(({ from, to }) =>
    Array.from({ length: (to - from) / hourSeconds }, (_, index) => from + index * hourSeconds),
  );
  return [[{ hour: { in: hours } }]];
}

/** Unknown hours, with adjacent ones joined. */
export function piecesOf(known: ReadonlySet<number>, { from, to }: Span): Span[] {
  const pieces: Span[] = [];
  for (let hour = from; hour < to; hour += hourSeconds) {
    if (known.has(hour)) continue;
    const last = pieces.at(-1);
    if (last?.to === hour) last.to = hour + hourSeconds;
    else pieces.push({ from: hour, to: hour + hourSeconds });
  }
  return pieces;
}

/** Sums of an hour read from rows, by quarter if `isCut`; `null` if there are too many. */
export function readRowHour(
  db: Database,
  { rows }: UsageState,
  hour: number,
  { userId, isCut }: { userId: number | undefined; isCut: boolean },
): Promise<RowHour | null> {
  const place = userId === undefined ? String(hour) : `${hour} ${userId} ${isCut}`;
  let reading = rows.get(place);
  if (reading === undefined)
    rows.set(place, (reading = userId === undefined ? rowSumsCacheOf(db).read(hour) : callsOfUser(db, hour, { userId, isCut })));
  return reading;
}

async function rowCells(db: Database, state: UsageState, question: HourQuestion, hour: number): Promise<UsageCell[]> {
  const { kind, userId, names } = question;
  const isCut = question.cut.has(hour);
  const found = await readRowHour(db, state, hour, { userId, isCut });
  const cells = partsOf(hour, isCut).map(async ({ start, seconds }): Promise<UsageCell[]> => {
    const totals = found === null ? await groupRows(db, { kind, userId }, { start, seconds }) : new Map<string, CallSums>();
    for (const part of found ?? []) {
      if (part.start < start || part.start >= start + seconds) continue;
      for (const cell of part.cells) addNamed(totals, cellName(cell, kind), cell.sums);
    }
    return [...totals]
      .filter(([name]) => names === undefined || names.includes(name))
      .map(([name, sums]) => ({ start, seconds, name, sums }));
  });
  return (await Promise.all(cells)).flat();
}

const summed = {
  calls: 'calls',
  errors: 'errors',
  quota: 'quota',
  prompt_tokens: 'prompt_tokens',
  completion_tokens: 'completion_tokens',
  first_byte_ms: 'first_byte_ms',
  duration_ms: 'duration_ms',
} as const;
const quarterSums = quarterSumsOf();

/** `hours`: restricts the hours. */
function ofKey(
  key: string,
  { from, to, names, hours }: Pick<UsageQuestion, 'from' | 'to' | 'names'> & { hours?: readonly number[] },
): Filter<UsageSumRecord> {
  const time: Filter<UsageSumRecord>[] =
    hours === undefined ? [{ start: { gte: from } }, { start: { lt: to } }] : [{ start: { in: hours } }];
  return { and: [{ key }, ...(names === undefined ? [] : [{ name: { in: [...names] } }]), ...time] };
}

function sumsOf(row: GroupRow): CallSums {
  const value = (name: keyof CallSums) => Number(row[name] ?? 0);
  return {
    calls: value('calls'),
    errors: value('errors'),
    quota: value('quota'),
    prompt_tokens: value('prompt_tokens'),
    completion_tokens: value('completion_tokens'),
    first_byte_ms: value('first_byte_ms'),
    duration_ms: value('duration_ms'),
  };
}
