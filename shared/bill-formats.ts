// Formats of usage exports, detected by their header. The server reads rows by them; the console detects before an upload whether a file needs a
// mapping of its columns.
import type { CsvLine } from '#shared/csv-reader.ts';

/**
 * - `openai_costs`, `openai_usage`: exports of platform.openai.com/usage
 * - `anthropic_costs`, `anthropic_usage`: exports of platform.claude.com, cost and usage
 * - `openrouter`: export of openrouter.ai/activity, a row for each generation
 * - `google`: table of the Cloud Billing report, by day and SKU
 */
export const csvFormats = ['openai_costs', 'openai_usage', 'anthropic_costs', 'anthropic_usage', 'openrouter', 'google'] as const;
export type CsvFormat = (typeof csvFormats)[number];

/** Columns that identify a format, lower-cased. */
const columnsOf: Record<Exclude<CsvFormat, 'google'>, readonly string[]> = {
  openai_costs: ['start_time', 'amount_value', 'line_item'],
  openai_usage: ['start_time', 'num_model_requests', 'model', 'input_tokens', 'output_tokens'],
  anthropic_costs: ['usage_date_utc', 'model', 'cost_usd'],
  anthropic_usage: ['usage_date_utc', 'model_version', 'usage_output_tokens'],
  openrouter: ['generation_id', 'created_at', 'cost_total', 'model_permaslug'],
};

/** Amounts of Google's tables, the most exact one first; the currency follows in brackets. */
export const googleAmounts = ['unrounded cost', 'unrounded subtotal', 'cost', 'subtotal'] as const;
export const googleDays = ['usage start date', 'date'] as const;

/** A column's name as formats and mappings compare it. */
export function columnName(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .trim()
    .toLowerCase();
}

/** The format whose columns are in the row; undefined for any other table. */
export function formatOf(cells: readonly string[]): CsvFormat | undefined {
  const names = new Set(cells.map(columnName));
  const isGoogle =
    names.has('sku description') &&
    googleDays.some((name) => names.has(name)) &&
    [...names].some((name) => googleAmounts.some((amount) => name.startsWith(`${amount} (`)));
  if (isGoogle) return 'google';
  return csvFormats.find((format) => format !== 'google' && columnsOf[format].every((name) => names.has(name)));
}

/** Rows before the header, as Google's tables have. */
export const mostRowsBefore = 20;

/** Fields of a bill's row, which a mapping finds in columns. */
export const mappedFields = ['date', 'model', 'amount', 'currency', 'request_id', 'calls', 'input_tokens', 'output_tokens'] as const;
export type MappedField = (typeof mappedFields)[number];
export type ColumnsOfFields = Partial<Record<MappedField, string>>;

/** Fields that a mapping maps to the same column, or lacks; undefined: there are none. */
export function mappingFault(columns: ColumnsOfFields): MappedField | undefined {
  const seen = new Set<string>();
  for (const field of mappedFields) {
    const column = columns[field];
    if (column === undefined) {
      if (field === 'date' || field === 'model') return field;
      continue;
    }
    const name = columnName(column);
    if (seen.has(name)) return field;
    seen.add(name);
  }
  const { amount, input_tokens: input, output_tokens: output, calls } = columns;
  return (amount ?? input ?? output ?? calls) === undefined ? 'amount' : undefined;
}

/** Whether every column of a mapping is in the row, and once. */
export function fitsMapping(cells: readonly string[], columns: ColumnsOfFields): boolean {
  const names = cells.map(columnName);
  return Object.values(columns).every((column) => names.filter((name) => name === columnName(column)).length === 1);
}

/** Finds the header in the first rows of a table. */
export function findHeader(
  rows: readonly CsvLine[],
  mappings: readonly { name: string; columns: ColumnsOfFields }[],
): { row: CsvLine; format: CsvFormat } | { row: CsvLine; mapping: string } | undefined {
  for (const row of rows) {
    const format = formatOf(row.cells);
    if (format !== undefined) return { row, format };
    const mapping = mappings.find(({ columns }) => fitsMapping(row.cells, columns));
    if (mapping !== undefined) return { row, mapping: mapping.name };
  }
  return undefined;
}
