// Rows of tables: the exports that are known, and any other by a mapping of its columns.
import { amountOf, countOf, type DecimalSign } from '#shared/bill-amounts.ts';
import { type ColumnsOfFields, columnName, type CsvFormat, googleAmounts, googleDays, type MappedField } from '#shared/bill-formats.ts';
import type { BillRowFault } from '#shared/provider-bills.ts';
import { type BillTerms, inDollars, longestModel, type RowResult } from './entries.ts';
import { addDays, momentOf } from './calendar.ts';
import { modelOfLineItem, modelOfSku } from './model-names.ts';

export type RowReader = (cells: readonly string[]) => RowResult;

/** Finds cells by their column. */
type Cells = (column: string) => string;

interface Layout {
  part: 'costs' | 'usage';
  date: (cell: Cells) => string;
  /** Last day of the row, if it may span several. */
  until?: (cell: Cells) => string;
  /** Undefined: the row is a sum, or about a day without usage. */
  model: (cell: Cells) => string | undefined;
  amount?: (cell: Cells) => string;
  currency?: (cell: Cells) => string;
  requestId?: (cell: Cells) => string;
  /** Text; empty: unknown. */
  calls?: (cell: Cells) => string;
  /** Texts that are added. */
  input?: (cell: Cells) => string[];
  output?: (cell: Cells) => string[];
}

/** Undefined: the format names days of UTC, and the account has others. */
export function tableReader(format: CsvFormat, header: readonly string[], terms: BillTerms): RowReader | undefined {
  const isDaily = format !== 'openrouter' && format !== 'google';
  if (isDaily && !terms.isUtc) return undefined;
  return readerOf(layouts[format](header.map(columnName)), header, { terms, sign: '.' });
}

export function mappedReader(
  { columns, decimal: sign }: { columns: ColumnsOfFields; decimal: DecimalSign },
  header: readonly string[],
  terms: BillTerms,
): RowReader {
  const at = (field: MappedField): ((cell: Cells) => string) | undefined => {
    const column = columns[field];
    return column === undefined ? undefined : (cell) => cell(columnName(column));
  };
  const [amount, currency, requestId, calls, input, output] = (
    ['amount', 'currency', 'request_id', 'calls', 'input_tokens', 'output_tokens'] as const
  ).map(at);
  const layout: Layout = {
    part: amount === undefined ? 'usage' : 'costs',
    date: at('date') ?? (() => ''),
    model: at('model') ?? (() => ''),
    ...(amount === undefined ? {} : { amount }),
    ...(currency === undefined ? {} : { currency }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(calls === undefined ? {} : { calls }),
    ...(input === undefined ? {} : { input: (cell: Cells) => [input(cell)] }),
    ...(output === undefined ? {} : { output: (cell: Cells) => [output(cell)] }),
  };
  return readerOf(layout, header, { terms, sign });
}

const anthropicInput = [
  'usage_input_tokens_no_cache',
  'usage_input_tokens_cache_write_5m',
  'usage_input_tokens_cache_write_1h',
  'usage_input_tokens_cache_read',
];

const layouts: Record<CsvFormat, (names: readonly string[]) => Layout> = {
  openai_costs: () => ({
    part: 'costs',
    date: (cell) => cell('start_time'),
    // A day without usage has a row without an amount.
    model: (cell) => (cell('amount_value') === '' ? undefined : modelOfLineItem(cell('line_item')) || 'unnamed'),
    amount: (cell) => cell('amount_value'),
    currency: (cell) => cell('amount_currency'),
  }),
  openai_usage: () => ({
    part: 'usage',
    date: (cell) => cell('start_time'),
    model: (cell) => (cell('num_model_requests') === '' ? undefined : cell('model')),
    calls: (cell) => cell('num_model_requests'),
    input: (cell) => [cell('input_tokens')],
    output: (cell) => [cell('output_tokens')],
  }),
  anthropic_costs: () => ({
    part: 'costs',
    date: (cell) => cell('usage_date_utc'),
    // Costs that are no model's, such as searches, have a kind of usage alone.
    model: (cell) => cell('model') || cell('usage_type') || 'unnamed',
    amount: (cell) => cell('cost_usd'),
    currency: () => 'USD',
  }),
  anthropic_usage: () => ({
    part: 'usage',
    date: (cell) => cell('usage_date_utc'),
    model: (cell) => cell('model_version'),
    input: (cell) => anthropicInput.map(cell),
    output: (cell) => [cell('usage_output_tokens')],
  }),
  openrouter: () => ({
    part: 'costs',
    // Its times are of UTC, without saying so.
    date: (cell) => withUtc(cell('created_at')),
    model: (cell) => cell('model_permaslug'),
    amount: (cell) => cell('cost_total'),
    currency: () => 'USD',
    requestId: (cell) => cell('generation_id'),
    input: (cell) => [cell('tokens_prompt')],
    output: (cell) => [cell('tokens_completion')],
  }),
  google(names) {
    const day = googleDays.find((name) => names.includes(name)) ?? '';
    const amount = googleAmounts.flatMap((kind) => names.filter((name) => name.startsWith(`${kind} (`)))[0] ?? '';
    // A sign such as `$` stands for several currencies, and counts as the account's.
    const [, currency = ''] = /\(([a-z]{3})\)$/.exec(amount) ?? [];
    return {
      part: 'costs',
      date: (cell) => cell(day),
      until: (cell) => cell('usage end date'),
      model(cell) {
        if (cell(day) === '') return undefined;
        const sku = cell('sku description');
        return sku === '' ? cell('cost type') || 'unnamed' : modelOfSku(sku);
      },
      amount: (cell) => cell(amount),
      currency: () => currency,
    };
  },
};

function withUtc(text: string): string {
  return /(Z|UTC|[+-]\d{2}:?\d{2})$/i.test(text.trim()) || /^\d+$/.test(text.trim()) ? text : `${text.trim()}Z`;
}

interface Reading {
  terms: BillTerms;
  sign: DecimalSign;
}

function readerOf(layout: Layout, header: readonly string[], { terms, sign }: Reading): RowReader {
  const places = new Map<string, number>();
  for (const [place, name] of header.map(columnName).entries()) if (!places.has(name)) places.set(name, place);
  const isByRequest = layout.requestId !== undefined;
  return (cells) => {
    const cell: Cells = (column) => cells[places.get(column) ?? -1]?.trim() ?? '';
    const model = layout.model(cell)?.slice(0, longestModel);
    const moment = momentOf(layout.date(cell), terms.calendar);
    if (model === undefined) return moment === undefined ? null : { day: moment.day, part: layout.part, isEmpty: true };
    if (cells.length < header.length / 2) return fault('cells', cells.join(','));
    if (moment === undefined) return fault('date', layout.date(cell));
    const until = layout.until?.(cell) ?? '';
    // Midnight of the next day is the end of this one.
    const last = until === '' ? undefined : momentOf(until, terms.calendar);
    if (until !== '' && (last === undefined || (last.day !== moment.day && last.day !== addDays(moment.day, 1))))
      return fault('span', until);
    if (model === '') return fault('model', '');
    const requestId = layout.requestId?.(cell);
    if (isByRequest && (requestId === undefined || requestId === '' || requestId.length > 200)) return fault('model', requestId ?? '');
    const counts = countsOf(layout, cell, sign);
    if ('fault' in counts) return counts;
    const entry = { day: moment.day, part: layout.part, model, ...counts, ...(moment.at === undefined ? {} : { at: moment.at }) };
    const withId = requestId === undefined ? entry : { ...entry, requestId };
    if (layout.amount === undefined) return withId;
    const text = layout.amount(cell);
    const written = amountOf(text, sign);
    if (written === undefined) return fault('amount', text);
    const currency = layout.currency?.(cell) ?? '';
    const amount = inDollars(written, currency, terms);
    return amount === undefined ? fault('currency', currency) : { ...withId, amount };
  };
}

function countsOf(layout: Layout, cell: Cells, sign: DecimalSign) {
  const sum = (texts: readonly string[]): number | string => {
    let total = 0;
    for (const text of texts) {
      const count = text === '' ? 0 : countOf(text, sign);
      if (count === undefined) return text;
      total += count;
    }
    return total;
  };
  const calls = layout.calls === undefined ? undefined : sum([layout.calls(cell)]);
  const inputTokens = layout.input === undefined ? undefined : sum(layout.input(cell));
  const outputTokens = layout.output === undefined ? undefined : sum(layout.output(cell));
  for (const count of [calls, inputTokens, outputTokens]) if (typeof count === 'string') return fault('count', count);
  return {
    ...(typeof calls === 'number' ? { calls } : {}),
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { outputTokens } : {}),
  };
}

function fault(code: BillRowFault, text: string) {
  return { fault: code, text };
}
