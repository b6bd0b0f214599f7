// Usage of an organisation as a file, built from the figures on the device: a table for a spreadsheet, or JSON.
import { csvMark, csvRow } from '#shared/csv.ts';
import type { UsagePart } from '#shared/organisations.ts';

export const usageFormats = ['csv', 'json'] as const;
export type UsageFormat = (typeof usageFormats)[number];

interface FileOptions {
  by: string;
  nameOf: (part: UsagePart) => string;
  quotaPerUnit: number;
  format: UsageFormat;
}

/** Amounts in USD with six decimals, and in quota. */
export function usageFile(parts: readonly UsagePart[], { by, nameOf, quotaPerUnit, format }: FileOptions): string {
  const rows = parts.map((part) => ({
    [`${by}_id`]: part.id,
    [by]: nameOf(part),
    calls: part.calls,
    tokens: part.tokens,
    usd: Number((part.quota / quotaPerUnit).toFixed(6)),
    quota: part.quota,
  }));
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  return [csvMark, csvRow([`${by}_id`, by, 'calls', 'tokens', 'usd', 'quota']), ...rows.map((row) => csvRow(Object.values(row)))].join('');
}
