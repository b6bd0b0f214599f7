// Prices of a model by date, from the history of settings: the prices of today, with each save taken back.
import type { PriceEvent } from '#shared/price-sync.ts';
import { modelFit } from '#shared/long-inputs.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import type { AppContext } from '#server/context.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import { saveOf } from '#server/settings/option-changes.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import {
  byPriceKey,
  changedLines,
  isPriceKey,
  mapWith,
  type PriceKey,
  priceKeys,
  pricesAbout,
  pricesOf,
  shownPrices,
  subjectOf,
  subjectOfModel,
} from './price-lines.ts';

const unitKey = 'QuotaPerUnit';
const keys: readonly string[] = [...priceKeys, unitKey];
/** Records read at once, and for one answer. */
const atOnce = 500;
const mostRead = 5_000;
const mostEvents = 50;

interface State {
  prices: Record<PriceKey, Record<string, number>>;
  quotaPerUnit: number;
}

/** @param before id of an event: only older ones are returned */
export async function readHistory(
  context: AppContext,
  { model: requested, before }: { model: string; before?: number },
): Promise<{ events: PriceEvent[]; next?: string }> {
  await finishOptionWrites(context);
  await context.settings.reload();
  const model = requested.endsWith('*') ? requested : subjectOfModel(requested);
  const state = currentState(context, model);
  const events: (Omit<PriceEvent, 'username'> & { actor: number })[] = [];
  let last: number | undefined;
  const oldest = (): { next?: string } => {
    const event = events.at(-1);
    return event === undefined ? {} : { next: String(event.id) };
  };
  for (let read = 0; read < mostRead; read += atOnce) {
    const records = await context.db
      .collection('option_changes')
      .find({ key: { in: keys }, ...(last === undefined ? {} : { id: { lt: last } }) }, { sort: [['id', -1]], limit: atOnce });
    const saves = [...Map.groupBy(records, ({ id }) => saveOf(id)).values()];
    // The last save may have further records.
    const complete = records.length < atOnce || saves.length === 1 ? saves : saves.slice(0, -1);
    for (const save of complete) {
      const [first] = save;
      const lines = takeBack(state, model, save);
      last = save.at(-1)?.id;
      if (first === undefined || lines.length === 0 || (before !== undefined && first.id >= before)) continue;
      if (events.length === mostEvents) return { events: await withNames(context, events), ...oldest() };
      const { id, created_at: at, actor_id: actor, source, note } = first;
      events.push({ id, at, actor, lines, ...(source === undefined ? {} : { source }), ...(note === undefined ? {} : { note }) });
    }
    if (records.length < atOnce) return { events: await withNames(context, events) };
  }
  return { events: await withNames(context, events), ...oldest() };
}

function currentState({ settings }: AppContext, model: string): State {
  const about = pricesAbout(model, pricesOf(settings));
  return { prices: byPriceKey((key) => mapWith(Object.entries(about[key]))), quotaPerUnit: settings.get(unitKey) };
}

/** Takes a save back, and returns what it had changed of the model. */
function takeBack(state: State, model: string, save: readonly OptionChangeRecord[]) {
  const touching = save.flatMap(({ key, entries = [] }) =>
    isPriceKey(key) ? entries.filter(({ name }) => concerns(model, subjectOf(key, name))).map((entry) => ({ key, ...entry })) : [],
  );
  const unit = save.find(({ key }) => key === unitKey);
  if (touching.length === 0 && unit === undefined) return [];
  const after = shownPrices(model, state.prices, state.quotaPerUnit);
  for (const { key, name, before } of touching) {
    if (typeof before === 'number') state.prices[key][name] = before;
    else delete state.prices[key][name];
  }
  if (unit?.before !== undefined) state.quotaPerUnit = Number(unit.before) || defaultQuotaPerUnit;
  return changedLines(shownPrices(model, state.prices, state.quotaPerUnit), after);
}

function concerns(model: string, subject: string): boolean {
  return subject === model || (!model.endsWith('*') && (subject === '*' || modelFit(model, subject) >= 0));
}

async function withNames({ db }: AppContext, events: readonly (Omit<PriceEvent, 'username'> & { actor: number })[]): Promise<PriceEvent[]> {
  const ids = [...new Set(events.map(({ actor }) => actor))].filter((id) => id !== 0);
  const users = ids.length === 0 ? [] : await db.collection('users').find({ id: { in: ids } });
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return events.map(({ actor, ...event }) => ({ ...event, username: names.get(actor) ?? '' }));
}
