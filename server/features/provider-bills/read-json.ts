// Bills in JSON: answers of usage APIs, saved or requested, and rows of Google's billing export in BigQuery.
import { amountOf, countOf } from '#shared/bill-amounts.ts';
import { add, type Decimal } from '#shared/decimal.ts';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { momentOf } from './calendar.ts';
import { type BillEntry, type BillTerms, inDollars, longestModel, type RowResult } from './entries.ts';
import { modelOfLineItem, modelOfSku } from './model-names.ts';

export type JsonFormat = 'openai_json' | 'anthropic_json' | 'openrouter_json' | 'google_json';

/** Numbers stay the texts that they are written as, so that amounts are exact. Undefined: it is no JSON, or too deep. */
export function parseExact(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  const quoted = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
  try {
    return JSON.parse(quoted);
  } catch {
    return undefined;
  }
}

/** The format of an answer or row, and its rows. Undefined: it is none that is known. */
export function rowsOfJson(value: unknown): { format: JsonFormat; rows: Iterable<RowOf> } | undefined {
  const objects = (Array.isArray(value) ? value : isObject(value) && Array.isArray(value['data']) ? value['data'] : [value]).filter(
    isObject,
  );
  // Pages may be saved one after the other.
  const list = objects.flatMap((object) =>
    object['object'] === 'page' && Array.isArray(object['data']) ? object['data'].filter(isObject) : [object],
  );
  const [first] = list;
  if (first === undefined) return isObject(value) && Array.isArray(value['data']) ? { format: 'openai_json', rows: [] } : undefined;
  if (first['object'] === 'bucket' || ('start_time' in first && Array.isArray(first['results'])))
    return { format: 'openai_json', rows: rowsOf(list, 'start_time', openaiRow) };
  if ('starting_at' in first) return { format: 'anthropic_json', rows: rowsOf(list, 'starting_at', anthropicRow) };
  if ('usage' in first && 'model' in first && 'date' in first)
    return { format: 'openrouter_json', rows: list.map((row) => (terms) => openrouterRow(row, terms)) };
  if ('usage_start_time' in first && 'cost' in first)
    return { format: 'google_json', rows: list.map((row) => (terms) => googleRow(row, terms)) };
  return undefined;
}

/** A row that is read when the account's terms are known. */
export type RowOf = (terms: BillTerms) => RowResult;

function* rowsOf(buckets: readonly JsonObject[], start: string, read: (row: JsonObject, bucket: Bucket) => RowResult): Generator<RowOf> {
  const resultsOf = ({ results }: JsonObject): JsonObject[] => (Array.isArray(results) ? results.filter(isObject) : []);
  const hasAmounts = buckets.some((bucket) => resultsOf(bucket).some((row) => row['amount'] !== undefined));
  const part = hasAmounts ? 'costs' : 'usage';
  for (const bucket of buckets) {
    const results = resultsOf(bucket);
    const date = textOf(bucket[start]);
    if (results.length === 0)
      yield (terms) => {
        const moment = momentOf(date, terms.calendar);
        return moment === undefined ? { fault: 'date', text: date } : { day: moment.day, part, isEmpty: true };
      };
    for (const result of results)
      yield (terms) => {
        const moment = momentOf(date, terms.calendar);
        return moment === undefined ? { fault: 'date', text: date } : read(result, { day: moment.day, terms });
      };
  }
}

interface Bucket {
  day: string;
  terms: BillTerms;
}

/** https://platform.openai.com/docs/api-reference/usage */
function openaiRow(row: JsonObject, { day, terms }: Bucket): RowResult {
  const { amount } = row;
  if (isObject(amount)) {
    const model = modelOfLineItem(textOf(row['line_item'])) || 'unnamed';
    return priced({ day, part: 'costs', model: model.slice(0, longestModel) }, textOf(amount['value']), {
      currency: textOf(amount['currency']),
      terms,
    });
  }
  return counted({ day, part: 'usage', model: textOf(row['model']).slice(0, longestModel) || 'unnamed' }, row, {
    calls: ['num_model_requests'],
    input: ['input_tokens'],
    output: ['output_tokens'],
  });
}

/** Amounts are cents, as decimal texts. https://platform.claude.com/docs/en/api/admin/cost_report/retrieve */
function anthropicRow(row: JsonObject, { day, terms }: Bucket): RowResult {
  if (row['amount'] !== undefined) {
    const model = (textOf(row['model']) || textOf(row['description']) || 'unnamed').slice(0, longestModel);
    return priced({ day, part: 'costs', model }, textOf(row['amount']), { currency: textOf(row['currency']), terms, places: 2 });
  }
  const writes = isObject(row['cache_creation']) ? row['cache_creation'] : {};
  return counted(
    { day, part: 'usage', model: textOf(row['model']).slice(0, longestModel) || 'unnamed' },
    { ...row, ...writes },
    {
      input: ['uncached_input_tokens', 'cache_read_input_tokens', 'ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'],
      output: ['output_tokens'],
    },
  );
}

/** https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity */
function openrouterRow(row: JsonObject, terms: BillTerms): RowResult {
  const date = textOf(row['date']);
  const moment = momentOf(date, terms.calendar);
  if (moment === undefined) return { fault: 'date', text: date };
  const model = textOf(row['model_permaslug']) || textOf(row['model']);
  if (model === '') return { fault: 'model', text: '' };
  const entry = counted({ day: moment.day, part: 'costs', model: model.slice(0, longestModel) }, row, {
    calls: ['requests'],
    input: ['prompt_tokens'],
    output: ['completion_tokens'],
  });
  return 'fault' in entry ? entry : priced(entry, textOf(row['usage']), { currency: 'USD', terms });
}

/** Cost and credits, which are negative. https://docs.cloud.google.com/billing/docs/how-to/export-data-bigquery-tables/standard-usage */
function googleRow(row: JsonObject, terms: BillTerms): RowResult {
  const start = textOf(row['usage_start_time']);
  const moment = momentOf(start, terms.calendar);
  if (moment === undefined) return { fault: 'date', text: start };
  const sku = isObject(row['sku']) ? textOf(row['sku']['description']) : textOf(row['sku_description'] ?? row['sku.description']);
  const model = (sku === '' ? textOf(row['cost_type']) : modelOfSku(sku)).slice(0, longestModel) || 'unnamed';
  const credits = Array.isArray(row['credits']) ? row['credits'].filter(isObject).map((credit) => textOf(credit['amount'])) : [];
  return priced({ day: moment.day, part: 'costs', model }, textOf(row['cost']), {
    currency: textOf(row['currency']),
    terms,
    more: credits,
  });
}

interface Pricing {
  currency: string;
  terms: BillTerms;
  /** Decimal places that the amount is written without. */
  places?: number;
  /** Amounts that are added. */
  more?: readonly string[];
}

function priced(entry: BillEntry, text: string, { currency, terms, places = 0, more = [] }: Pricing): RowResult {
  let sum: Decimal | undefined;
  for (const one of [text, ...more]) {
    const amount = amountOf(one);
    if (amount === undefined) return { fault: 'amount', text: one };
    const shifted = { digits: amount.digits, scale: amount.scale + places };
    sum = sum === undefined ? shifted : add(sum, shifted);
  }
  const amount = sum === undefined ? undefined : inDollars(sum, currency, terms);
  return amount === undefined ? { fault: 'currency', text: currency } : { ...entry, amount };
}

type Counted = Record<'calls' | 'input' | 'output', readonly string[]>;

function counted(entry: BillEntry, row: JsonObject, names: Partial<Counted>): BillEntry | { fault: 'count'; text: string } {
  const sums: Partial<Record<keyof Counted, number>> = {};
  for (const kind of ['calls', 'input', 'output'] as const) {
    for (const name of names[kind] ?? []) {
      const text = textOf(row[name] ?? '0');
      const count = text === '' ? 0 : countOf(text);
      if (count === undefined) return { fault: 'count', text };
      sums[kind] = (sums[kind] ?? 0) + count;
    }
  }
  return {
    ...entry,
    ...(sums.calls === undefined ? {} : { calls: sums.calls }),
    ...(sums.input === undefined ? {} : { inputTokens: sums.input }),
    ...(sums.output === undefined ? {} : { outputTokens: sums.output }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
