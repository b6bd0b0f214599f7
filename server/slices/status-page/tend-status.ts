// Judges every model once a minute, and opens and closes incidents by what it finds. One process at a time runs it.
import type { AppContext } from '#server/context.ts';
import { medianFirstByte } from '#server/exchange/first-byte-buckets.ts';
import type { ModelFigureRecord, ModelStateRecord } from '#server/db/records/status-page.ts';
import { addDisturbances, type Disturbance, endDisturbances } from '#server/slices/status-page/automatic-incidents.ts';
import { endMaintenance } from '#server/slices/status-page/edit-incidents.ts';
import {
  figureId,
  figuresBetween,
  retainedSeconds,
  spans,
  spanSeconds,
  spanStart,
  splitByDay,
} from '#server/slices/status-page/figure-spans.ts';
import { isDisturbed, judge, type ModelWindow } from '#server/slices/status-page/judge-model.ts';
import { emptyFigure, modelFiguresOf } from '#server/slices/status-page/model-figures.ts';
import { listedModels } from '#server/slices/status-page/status-models.ts';
import { emptySums, type FigureSums, firstTokensOf, sumByModel } from '#server/slices/status-page/sum-figures.ts';

/** Days that say what is usual, and first tokens in them that suffice for that. */
const usualDays = 7;
const leastUsual = 100;
/** Longest time that is added to a day at once, in seconds; a longer gap is one without a judgement. */
const longestSum = 300;
/** Incidents are retained for a year, and so many at most. */
export const incidentRetention = 365 * 86_400;
export const mostIncidents = 2000;

export async function tendStatus(context: AppContext): Promise<void> {
  if (context.settings.get('StatusPage') === 'off') return;
  await modelFiguresOf(context).flush();
  const at = Math.floor(context.now() / 1000);
  const states = await storedStates(context);
  const windows = await readWindows(context, at);
  const usual = await usualFirstTokens(context, at);
  const disturbed: Disturbance[] = [];
  for (const { model, isServed } of listedModels(context).values()) {
    const before = states.get(model) ?? null;
    states.delete(model);
    const sums = windows.get(model) ?? emptySums();
    const window: ModelWindow = {
      answered: sums.answered,
      failed: sums.failed,
      firstTokens: firstTokensOf(sums),
      medianMs: medianFirstByte(sums.firstBytes),
      usualMs: usual.get(model) ?? null,
      isServed,
    };
    const after = judge(model, before, window, at);
    await sumDisturbance(context, after, at);
    if (!isSame(before, after)) await store(context, after);
    if (isDisturbed(after.state)) disturbed.push({ model, level: after.state, since: after.since, window });
  }
  // Models that no channel lists any more.
  for (const id of states.keys()) await context.db.collection('model_states').remove({ id });
  await endMaintenance(context);
  // Ends first: a model that was slow and is down is in two incidents.
  await endDisturbances(context, disturbed, at);
  await addDisturbances(context, disturbed, at);
}

/** Removes figures and incidents whose time is over. */
export async function sweepStatus(context: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const { db, now } = context;
  const at = Math.floor(now() / 1000);
  for (const span of spans)
    await db.collection('model_figures').remove(figuresBetween(span, 0, spanStart(span, at - retainedSeconds[span])));
  const incidents = db.collection('status_incidents');
  await incidents.remove({ started_at: { lt: at - incidentRetention } });
  const [last] = await incidents.find({}, { sort: [['id', -1]], skip: mostIncidents, limit: 1 });
  if (last !== undefined) await incidents.remove({ id: { lte: last.id } });
}

async function storedStates({ db }: AppContext): Promise<Map<string, ModelStateRecord>> {
  const states = new Map<string, ModelStateRecord>();
  for await (const state of db.collection('model_states').each({})) states.set(state.id, state);
  return states;
}

/** Calls of the current five minutes and the five before. */
async function readWindows({ db }: AppContext, at: number): Promise<Map<string, FigureSums>> {
  const figures: ModelFigureRecord[] = [];
  for await (const figure of db.collection('model_figures').each(figuresBetween('s', spanStart('s', at) - spanSeconds.s)))
    figures.push(figure);
  return sumByModel(figures);
}

const usualOfDatabase = new WeakMap<AppContext['db'], { day: number; usual: ReadonlyMap<string, number> }>();

/** Median of the first token of each model in the last seven whole days, read once a day. */
async function usualFirstTokens({ db }: AppContext, at: number): Promise<ReadonlyMap<string, number>> {
  const day = spanStart('d', at);
  const known = usualOfDatabase.get(db);
  if (known?.day === day) return known.usual;
  const figures: ModelFigureRecord[] = [];
  const week = figuresBetween('d', day - usualDays * spanSeconds.d, day);
  for await (const figure of db.collection('model_figures').each(week)) figures.push(figure);
  const usual = new Map<string, number>();
  for (const [model, sums] of sumByModel(figures)) {
    const median = medianFirstByte(sums.firstBytes);
    if (median !== null && firstTokensOf(sums) >= leastUsual) usual.set(model, median);
  }
  usualOfDatabase.set(db, { day, usual });
  return usual;
}

/** Adds the time of a disturbance to the figures of its day or days. */
async function sumDisturbance({ db }: AppContext, state: ModelStateRecord, at: number): Promise<void> {
  if (!isDisturbed(state.state)) {
    delete state.summed_until;
    return;
  }
  const from = Math.max(state.summed_until ?? state.since, state.since, at - longestSum);
  state.summed_until = at;
  for (const { day, seconds } of splitByDay(from, at)) {
    const id = figureId('d', day, state.id);
    const increment = state.state === 'down' ? { down_seconds: seconds } : { slow_seconds: seconds };
    const insertIfMissing = { ...emptyFigure('d', { model: state.id, start: day }, id), ...increment };
    await db.collection('model_figures').patch({ id }, { increment }, { insertIfMissing });
  }
}

async function store({ db }: AppContext, { id, ...fields }: ModelStateRecord): Promise<void> {
  const optional = ['pending', 'pending_since', 'pending_times', 'summed_until', 'is_unserved'] as const;
  const unset = optional.filter((field) => fields[field] === undefined);
  await db.collection('model_states').patch({ id }, { set: fields, unset }, { insertIfMissing: { id, ...fields } });
}

function isSame(before: ModelStateRecord | null, after: ModelStateRecord): boolean {
  return (
    before !== null &&
    before.state === after.state &&
    before.since === after.since &&
    before.called_at === after.called_at &&
    before.pending === after.pending &&
    before.pending_times === after.pending_times &&
    before.summed_until === after.summed_until &&
    before.is_unserved === after.is_unserved
  );
}
