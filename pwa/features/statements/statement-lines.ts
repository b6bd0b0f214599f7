// A statement as lines of dollars, for the screen, the printer and spreadsheets.
import { csvMark, csvRow } from '#shared/csv.ts';
import type { Statement } from '#shared/statement.ts';

const digits = 6;
const minus = '\u2212';

/** Dollars with six decimals, as the smallest charges have, so that lines add up as they are printed. */
export function statementAmount(quota: number, quotaPerUnit: number): string {
  const text = Math.abs(quota / quotaPerUnit).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return quota < 0 ? `${minus}${text}` : text;
}

/** Whether six decimals of a dollar hold every unit of quota. */
export function isExact({ quota_per_unit: unit }: Pick<Statement, 'quota_per_unit'>): boolean {
  return Number.isInteger(10 ** digits / unit);
}

export interface FileTexts {
  opening: string;
  closing: string;
  calls: string;
  others: string;
  /** @param usd what the calls cost at the other gateway */
  imported(usd: string): string;
  kind(kind: string): string;
}

/** A line each; the amounts of all but the last add up to the last. */
export function statementFile(statement: Statement, texts: FileTexts): string {
  const { quota_per_unit: unit, from, to, entries, more_entries: more, calls, more_calls: others, imported_calls: imported } = statement;
  const line = (at: number, what: string, model: string, count: number | '', quota: number): string =>
    csvRow([new Date(at * 1000).toISOString(), what, model, count, Number((quota / unit).toFixed(digits)), quota]);
  return [
    csvMark,
    csvRow(['time', 'what', 'model', 'calls', 'usd', 'quota']),
    line(from, texts.opening, '', '', statement.opening),
    ...entries.map(({ created_at, kind, amount }) => line(created_at, texts.kind(kind), '', '', amount)),
    ...(more.count > 0 ? [line(to, texts.others, '', '', more.amount)] : []),
    ...calls.map((one) => line(to, texts.calls, one.model_name, one.calls, -one.amount)),
    ...(others.models > 0 ? [line(to, texts.calls, texts.others, others.calls, -others.amount)] : []),
    ...(imported === undefined ? [] : [line(to, texts.imported(statementAmount(imported.amount, unit)), '', imported.calls, 0)]),
    line(to, texts.closing, '', '', statement.closing),
  ].join('');
}
