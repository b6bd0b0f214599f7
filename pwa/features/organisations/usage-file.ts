// Usage of an organisation as a table for a spreadsheet, built from the figures on the device.
import { csvMark, csvRow } from '#shared/csv.ts';
import type { UsagePart } from '#shared/organisations.ts';

/** Amounts in USD with six decimals, and in quota. */
export function usageFile(
  parts: readonly UsagePart[],
  { by, nameOf, quotaPerUnit }: { by: string; nameOf: (part: UsagePart) => string; quotaPerUnit: number },
): string {
  return [
    csvMark,
    csvRow([`${by}_id`, by, 'calls', 'tokens', 'usd', 'quota']),
    ...parts.map((part) =>
      csvRow([part.id, nameOf(part), part.calls, part.tokens, Number((part.quota / quotaPerUnit).toFixed(6)), part.quota]),
    ),
  ].join('');
}
