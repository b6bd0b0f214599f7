// How a row's charge comes about, from what the row itself remembers: tokens, ratios, and nothing of today's prices.
import { product } from '#shared/decimal.ts';
import { isPricedTool, type PricedTool } from '#shared/hosted-tools.ts';
import type { Log, LogOther, UsageSource } from '#shared/logs.ts';
import { priceOfLog, usageOfLog } from '#shared/price-display.ts';
import { costOf, type Price, type ReceiptLine as CostLine } from '#shared/pricing.ts';
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import { type ReceiptFactor, type ReceiptLine, receiptSums } from '#pwa/ui/billing/receipt-sums.ts';

/** `thinking` is the invisible part of the output; it costs the same. */
export type PartName = CostLine['part'] | 'thinking' | 'session_minute' | PricedTool;

export interface RowReceipt {
  lines: ReceiptLine[];
  factors: ReceiptFactor[];
  /** The lines, the factors and rounding up to a whole unit lead to what was charged. */
  addsUp: boolean;
}

interface Words {
  part: (name: PartName) => string;
  /** Of another model within the call. */
  advice: (model: string, tokens: number) => string;
  group: (name: string) => string;
  /** Quota per dollar that amounts are shown with. */
  quotaPerUnit: number;
  inCurrency: boolean;
}

type Row = Pick<Log, 'quota' | 'prompt_tokens' | 'completion_tokens' | 'group'>;

/** Null when the row does not know its prices. */
export function receiptOfRow(log: Row, other: LogOther | null, words: Words): RowReceipt | null {
  const price = other === null ? null : priceOfLog(other);
  if (other === null || price === null) return null;
  const groupRatio = other.group_ratio ?? 1;
  const writtenPerUnit = other.quota_per_unit ?? defaultQuotaPerUnit;
  const { lines: parts } = costOf(usageOfLog(log, other), price, groupRatio, writtenPerUnit).receipt();
  const context = { other, price, words, writtenPerUnit };
  const lines = [...parts.flatMap((part) => linesOf(part, context)), ...toolLines(context), ...adviceLines(context)];
  const factors = groupRatio === 1 || lines.length === 0 ? [] : [{ name: words.group(log.group), ratio: groupRatio }];
  const stepsPerUnit = words.inCurrency ? 1_000_000 / words.quotaPerUnit : 100;
  const { difference } = receiptSums({ lines, factors, charged: log.quota, quotaPerUnit: words.quotaPerUnit, stepsPerUnit });
  return { lines, factors, addsUp: difference === 0 };
}

interface LineContext {
  other: LogOther;
  price: Price;
  words: Words;
  writtenPerUnit: number;
}

function linesOf(part: CostLine, { other, price, words, writtenPerUnit }: LineContext): ReceiptLine[] {
  if (price.kind === 'call') {
    // A unit may have been worth something else when the row was written.
    const usd = product(part.ratio, writtenPerUnit / words.quotaPerUnit);
    const unitSource = unitSourceOf(part.part, other);
    return [
      {
        name: words.part(part.part === 'minute' && other.units?.from !== undefined ? 'session_minute' : part.part),
        quantity: part.count,
        price: usd,
        isPerCall: true,
        source: unitSource,
      },
    ];
  }
  const usd = product(price.modelRatio, part.ratio, 1_000_000 / words.quotaPerUnit);
  const source = sourceOf(part.part, other);
  const line = (name: PartName, quantity: number): ReceiptLine => ({
    name: words.part(isUnits(part, other) && name === 'prompt' ? (other.units?.kind ?? name) : name),
    quantity,
    price: usd,
    source,
  });
  const thinking = part.part === 'completion' ? Math.min(other.reasoning_tokens ?? 0, part.count) : 0;
  if (thinking === 0) return [line(part.part, part.count)];
  const seen = part.count - thinking;
  return [...(seen > 0 ? [line('completion', seen)] : []), line('thinking', thinking)];
}

/** Whether what the row calls tokens are the characters or the minutes' thousandths that its model is priced by. */
function isUnits({ part, count }: CostLine, { units }: LogOther): boolean {
  return part === 'prompt' && (units?.kind === 'character' || units?.kind === 'minute') && units.count === count;
}

/** Tools that ran at the provider. */
function toolLines({ other, words, writtenPerUnit }: LineContext): ReceiptLine[] {
  return (other.hosted_calls ?? []).map(({ kind, calls, price }) => ({
    name: words.part(isPricedTool(kind) ? kind : 'other'),
    quantity: calls,
    price: product(price, 0.001, writtenPerUnit / words.quotaPerUnit),
    isPerCall: true,
  }));
}

function adviceLines({ other, words, writtenPerUnit }: LineContext): ReceiptLine[] {
  return (other.advice ?? []).map(({ model, prompt_tokens: input, completion_tokens: output, price }) => ({
    name: words.advice(model, input + output),
    quantity: 1,
    price: product(price, 0.001, writtenPerUnit / words.quotaPerUnit),
    isPerCall: true,
  }));
}

function sourceOf(part: CostLine['part'], other: LogOther): UsageSource | undefined {
  return isWritten(part) ? other.completion_source : other.prompt_source;
}

/** Minutes are reported like a prompt, or measured; characters and pictures are counted on arrival. */
function unitSourceOf(part: CostLine['part'], other: LogOther): UsageSource | undefined {
  if (part === 'minute') return other.prompt_source;
  return part === 'character' || part === 'image' ? 'counted' : undefined;
}

function isWritten(part: CostLine['part']): boolean {
  return part === 'completion' || part === 'audio_output' || part === 'image_output';
}
