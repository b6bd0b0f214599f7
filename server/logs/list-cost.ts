// Exact cost of a call by the prices that its log row remembers, before the group's factor: what the provider should take for it.
import { storedAmount } from '#shared/bill-amounts.ts';
import { add, type Decimal, decimalOf, multiply, quotient } from '#shared/decimal.ts';
import { LogOther, LogType } from '#shared/logs.ts';
import { priceOfLog, usageOfLog } from '#shared/price-display.ts';
import { costWithTools } from '#shared/pricing.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import type { LogRecord } from '#server/db/records/log.ts';

export const noCost: Decimal = { digits: 0n, scale: 0 };
/** USD of one quota unit by default. */
const usualUnit = decimalOf(1 / defaultQuotaPerUnit);

export interface ListCost {
  /** USD. */
  cost: Decimal;
  /** As the provider was called. */
  model: string;
  /** The provider's id of the request, if the row has it. */
  upstreamId: string | undefined;
}

/** Rows of calls, tests of channels included, which a provider bills as well. */
export const costedTypes: ReadonlySet<number> = new Set([LogType.consumption, LogType.test]);

/** Null for a row that used nothing, and for prepaid work, whose rows have no price. */
export function listCostOf(row: LogRecord): ListCost | null {
  const parsed = LogOther.safeParse(row.other);
  if (!parsed.success) return null;
  const other = parsed.data;
  const price = priceOfLog(other);
  if (price === null || row.channel_id === 0) return null;
  const usage = usageOfLog(row, other);
  // The kind of a tool does not change its cost.
  const runs = [...(other.hosted_calls ?? []), ...(other.advice ?? []).map(({ price: paid }) => ({ calls: 1, price: paid }))];
  const tools = runs.map((run) => ({ kind: 'other' as const, calls: run.calls, price: run.price }));
  const quotaPerUnit = other.quota_per_unit ?? defaultQuotaPerUnit;
  const { quota, receipt } = costWithTools(usage, price, { groupRatio: 1, quotaPerUnit, tools });
  const isUnused = quota === 0 && row.prompt_tokens + row.completion_tokens === 0;
  if (isUnused || (row.failed === 1 && row.prompt_tokens + row.completion_tokens === 0)) return null;
  const exact = storedAmount(receipt().exact);
  const cost = quotaPerUnit === defaultQuotaPerUnit ? multiply(exact, usualUnit) : decimalOf(quotient(exact, decimalOf(quotaPerUnit)));
  return { cost, model: other.upstream_model_name ?? row.model_name, upstreamId: other.admin_info?.upstream_id };
}

export function sumOf(amounts: Iterable<Decimal>): Decimal {
  let sum = noCost;
  for (const amount of amounts) sum = add(sum, amount);
  return sum;
}
