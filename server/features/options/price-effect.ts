// What the last days would have cost at other prices: what models cost is known from sums, and what they would have, from their newest
// calls. Only so many are looked at; what the others would cost is inferred from these.
import { type LogOther, LogType } from '#shared/logs.ts';
import type { PriceEffect } from '#shared/options.ts';
import { usageOfLog } from '#shared/price-display.ts';
import { findPrice, type PriceMaps, trainedPrice } from '#shared/find-price.ts';
import { type Price, quotaWithTools, type UsagePrice } from '#shared/pricing.ts';
import { pricedTools } from '#shared/hosted-tools.ts';
import { longInputsOf } from '#shared/long-inputs.ts';
import { videoPrice } from '#shared/price-at.ts';
import { tierFactorsOf } from '#shared/service-tiers.ts';
import { videoPricesOf } from '#shared/video-prices.ts';
import { toolCharges, type ToolPrices, toolPricesOf } from '#shared/tool-prices.ts';
import type { NumberMap } from '#shared/setting-values.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import { baseOfTrained, tuningPriceOf } from '#shared/tuning-prices.ts';
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { readUsageState, readUsageTotals } from '#server/logs/read-usage.ts';
import { daySeconds, hourOf, hourSeconds } from '#server/logs/rollup-shape.ts';
import { unsetTaskPrice } from '#server/money/quote.ts';
import { priceMapsOf, priceSettings } from '#server/settings/price-maps.ts';

const days = 7;
/** Calls that are looked at: of a model, and of all, of which every model has its share. */
const usualSample = { ofModel: 2_000, ofAll: 20_000 };
const rowsAtOnce = 500;

type Context = Pick<AppContext, 'db' | 'now' | 'settings'>;

/** The maps of prices, and those of tools which run at the provider and of trained models. */
type Maps = Required<PriceMaps> & { tools: NumberMap; tuning: NumberMap };

/** `changes`: the maps that are other than the saved ones. */
export async function readPriceEffect({ db, now, settings }: Context, changes: Partial<Maps>, sample = usualSample): Promise<PriceEffect> {
  const saved: Maps = { ...priceMapsOf(settings), tools: settings.get('ToolPrice'), tuning: settings.get('FineTuningPrice') };
  const maps = { ...saved, ...changes };
  const changed = changedNames(saved, maps);
  const seconds = Math.floor(now() / 1000);
  const span = { from: hourOf(seconds - days * daySeconds), to: hourOf(seconds) + hourSeconds };
  const totals = await readUsageTotals(db, await readUsageState(db), { kind: 'model', ...span });
  const touched = [...totals]
    .filter(
      ([model]) =>
        changed.has(pricedName(model)) ||
        haveOtherTools(model, saved, maps) ||
        haveOtherLengths(model, saved, maps) ||
        haveOtherTiers(model, saved, maps) ||
        haveOtherVideos(model, saved, maps) ||
        costsOtherwiseTrained(model, saved, maps),
    )
    .toSorted(([, a], [, b]) => a.calls - b.calls);
  let before = 0;
  for (const { quota } of totals.values()) before += quota;
  let after = before;
  const seen: Seen = { counted: 0, users: new Map(), tokens: new Set() };
  for (const [index, [model, { quota, calls }]] of touched.entries()) {
    // What models of few calls leave of their shares is for those of more.
    const share = Math.ceil((sample.ofAll - seen.counted) / (touched.length - index));
    const looked = await compare(db, { model, maps, from: span.from, most: Math.min(sample.ofModel, share) }, seen);
    // Of more calls than were looked at: as much in proportion.
    const factor = looked.calls < calls && looked.quota > 0 ? quota / looked.quota : 1;
    after += looked.difference * factor;
  }
  const [most] = [...seen.users.values()].toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  return {
    days,
    before,
    after: Math.round(after),
    calls: touched.reduce((sum, [, { calls }]) => sum + calls, 0),
    counted: seen.counted,
    ...(most === undefined || most.difference === 0 ? {} : { user: most }),
    tokens: seen.tokens.size,
  };
}

function changedNames(one: Required<PriceMaps>, other: Required<PriceMaps>): Set<string> {
  const names = new Set<string>();
  for (const [key] of priceSettings) {
    const [before, after] = [one[key], other[key]];
    // Their entries name no single models.
    if (before === after || key === 'longInputPrice' || key === 'tierPrice' || key === 'videoPrice') continue;
    for (const name of [...Object.keys(before), ...Object.keys(after)]) if (before[name] !== after[name]) names.add(name);
  }
  return names;
}

function haveOtherTools(model: string, { tools: saved }: Maps, { tools }: Maps): boolean {
  if (saved === tools) return false;
  const [before, after] = [toolPricesOf(model, saved), toolPricesOf(model, tools)];
  return pricedTools.some((tool) => before[tool] !== after[tool]);
}

function haveOtherTiers(model: string, { tierPrice: saved }: Maps, { tierPrice }: Maps): boolean {
  if (saved === tierPrice) return false;
  const [before, after] = [saved, tierPrice].map((factors) =>
    JSON.stringify([...tierFactorsOf(pricedName(model), factors)].toSorted(([one], [other]) => one.localeCompare(other))),
  );
  return before !== after;
}

function haveOtherVideos(model: string, { videoPrice: saved }: Maps, { videoPrice: given }: Maps): boolean {
  if (saved === given) return false;
  const [before, after] = [saved, given].map((prices) => JSON.stringify(videoPricesOf(pricedName(model), prices)));
  return before !== after;
}

/** By the prices of what it was trained from. */
function costsOtherwiseTrained(model: string, saved: Maps, given: Maps): boolean {
  if (saved.tuning === given.tuning && saved.tierPrice === given.tierPrice) return false;
  const shown = ({ tiers, ...price }: UsagePrice) => JSON.stringify([price, ...(tiers ?? [])]);
  const [before, after] = [saved, given].map((maps) => trainedPriceOf(model, maps)).map((price) => (price === null ? '' : shown(price)));
  return before !== after;
}

/** Null: it was not trained for a caller, or has no price now. */
function trainedPriceOf(model: string, maps: Maps): UsagePrice | null {
  const base = baseOfTrained(model);
  const reported = base === null ? null : tuningPriceOf(base, maps.tuning);
  return base === null || reported === null ? null : trainedPrice(base, reported, maps);
}

function haveOtherLengths(model: string, { longInputPrice: saved }: Maps, { longInputPrice }: Maps): boolean {
  if (saved === longInputPrice) return false;
  const [before, after] = [saved, longInputPrice].map((factors) => JSON.stringify(longInputsOf(pricedName(model), factors)));
  return before !== after;
}

interface Seen {
  counted: number;
  users: Map<number, { username: string; difference: number }>;
  tokens: Set<number>;
}

interface Sample {
  model: string;
  maps: Maps;
  /** Unix seconds. */
  from: number;
  most: number;
}

/** The newest calls of a model: how many, what they cost, and how much more they would have. */
async function compare(
  db: AppContext['db'],
  { model, maps, from, most }: Sample,
  seen: Seen,
): Promise<{ calls: number; quota: number; difference: number }> {
  const logs = db.collection('logs');
  const price = findPrice(model, maps) ?? trainedPriceOf(model, maps);
  const tools = toolPricesOf(model, maps.tools);
  const looked = { calls: 0, quota: 0, difference: 0 };
  let last: { created_at: number; id: number } | undefined;
  while (looked.calls < most) {
    const limit = Math.min(rowsAtOnce, most - looked.calls);
    const older =
      last === undefined ? [] : [{ or: [{ created_at: { lt: last.created_at } }, { created_at: last.created_at, id: { lt: last.id } }] }];
    const filter = { model_name: model, and: [{ created_at: { gte: from } }, { type: LogType.consumption }, ...older] };
    const rows = await logs.find(filter, {
      sort: [
        ['created_at', -1],
        ['id', -1],
      ],
      limit,
    });
    for (const row of rows) {
      const difference = quotaAt(row, price, tools) - row.quota;
      looked.quota += row.quota;
      looked.difference += difference;
      const user = seen.users.get(row.user_id) ?? { username: row.username, difference: 0 };
      user.difference += difference;
      seen.users.set(row.user_id, user);
      seen.tokens.add(row.token_id);
    }
    looked.calls += rows.length;
    last = rows.at(-1);
    if (rows.length < limit) break;
    // Lets streams proceed in between.
    await new Promise(setImmediate);
  }
  seen.counted += looked.calls;
  return looked;
}

/** What a call would have cost: nothing without a price, for it would have been refused. */
function quotaAt(row: LogRecord, price: Price | null, prices: ToolPrices): number {
  const other: LogOther = row.other ?? {};
  // What is taken ahead of work at a provider stands in no row by its tokens.
  if (other.batch !== undefined || other.tuning !== undefined || other.context_cache !== undefined) return row.quota;
  // What was not charged then, or given back, would not be now.
  if (other.uncharged_quota !== undefined || other.refunds !== undefined) return row.quota;
  const ofTask = other.task !== undefined && price?.kind !== 'call' ? unsetTaskPrice : price;
  const found = ofTask?.kind === 'call' && other.units?.kind === 'second' ? videoPrice(ofTask) : ofTask;
  if (found === null) return 0;
  const { group_ratio: groupRatio = 1, quota_per_unit: quotaPerUnit = defaultQuotaPerUnit, hosted_calls: runs = [], advice = [] } = other;
  // A kind without a price would have been left out of the call.
  const tools = toolCharges(Object.fromEntries(runs.map(({ kind, calls }) => [kind, calls])), prices);
  // Prices of another model, which this change does not concern.
  const advised = advice.map(({ price: each }) => ({ kind: 'other' as const, calls: 1, price: each }));
  return quotaWithTools(usageOfLog(row, other), found, { groupRatio, quotaPerUnit, tools: [...tools, ...advised] });
}
