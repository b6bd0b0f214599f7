// What charts and their tables are drawn from: the figures by the step.
import { type NamedSums, noUsage, type UsageFigures, type UsageLatency, type UsageSums } from '#shared/dashboard.ts';
import type { Format } from '#pwa/ui/billing/format.ts';

export interface ChartStep {
  /** Unix seconds; the end is where the next one begins. */
  start: number;
  end: number;
  /** On the axis, and in full. */
  label: string;
  name: string;
  sums: UsageSums;
  previous: UsageSums;
  latency: UsageLatency;
  /** It is not over. */
  isOpen: boolean;
  /** Cost of each named part, the rest last. */
  parts: number[];
}

export interface ChartPart {
  /** Undefined: all that have no name of their own. */
  name: string | undefined;
  label: string;
  sums: UsageSums;
  /** How many names it stands for. */
  count: number;
}

export function chartSteps(figures: UsageFigures, format: Format): ChartStep[] {
  return figures.steps.map((start, index) => {
    const end = figures.steps[index + 1] ?? figures.end;
    const sums = figures.whole[index] ?? noUsage;
    const named = figures.series.map((series) => series.sums[index]?.quota ?? 0);
    const rest = sums.quota - named.reduce((sum, one) => sum + one, 0);
    return {
      start,
      end,
      label: labelOf(start, figures, format),
      name: nameOf(start, end, figures, format),
      sums,
      previous: figures.previous[index] ?? noUsage,
      latency: figures.latency?.steps[index] ?? unknown,
      isOpen: figures.at >= start && figures.at < end,
      parts: [...named, Math.max(0, rest)],
    };
  });
}

/** The parts of the series, and the rest of everything. */
export function chartParts(figures: UsageFigures): ChartPart[] {
  const named = figures.series.flatMap(({ name }) => {
    const found = figures.totals.find((one) => one.name === name);
    return found === undefined ? [] : [{ name, label: found.label, sums: found.sums, count: 1 }];
  });
  const count = figures.totals.length + figures.others.count - named.length;
  if (count <= 0) return named;
  const rest = subtract(
    wholeOf(figures),
    named.reduce((sum, part) => add(sum, part.sums), noUsage),
  );
  return [...named, { name: undefined, label: '', sums: rest, count }];
}

/** What the part at that place came to in a step. */
export function partOf(step: ChartStep, part: ChartPart, index: number): number {
  return step.parts[part.name === undefined ? step.parts.length - 1 : index] ?? 0;
}

export function latencyOf({ latency }: Pick<UsageFigures, 'latency'>): UsageLatency {
  return latency?.whole ?? unknown;
}

export function wholeOf(figures: Pick<UsageFigures, 'whole'>): UsageSums {
  return figures.whole.reduce(add, noUsage);
}

export function sumOf(steps: readonly ChartStep[], value: (step: ChartStep) => number): number {
  return steps.reduce((sum, step) => sum + value(step), 0);
}

export function tokensOf(sums: UsageSums): number {
  return sums.prompt_tokens + sums.completion_tokens;
}

/** The one with most failures; undefined when nothing failed. */
export function worstOf(totals: readonly NamedSums[]): NamedSums | undefined {
  const worst = totals.reduce<NamedSums | undefined>(
    (found, one) => (one.sums.errors > (found?.sums.errors ?? 0) ? one : found),
    undefined,
  );
  return worst;
}

const unknown: UsageLatency = { duration: null, first_byte: null };

function add(a: UsageSums, b: UsageSums): UsageSums {
  return {
    calls: a.calls + b.calls,
    errors: a.errors + b.errors,
    quota: a.quota + b.quota,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    first_byte_ms: a.first_byte_ms + b.first_byte_ms,
    duration_ms: a.duration_ms + b.duration_ms,
  };
}

function subtract(a: UsageSums, b: UsageSums): UsageSums {
  return {
    calls: a.calls - b.calls,
    errors: a.errors - b.errors,
    quota: a.quota - b.quota,
    prompt_tokens: a.prompt_tokens - b.prompt_tokens,
    completion_tokens: a.completion_tokens - b.completion_tokens,
    first_byte_ms: a.first_byte_ms - b.first_byte_ms,
    duration_ms: a.duration_ms - b.duration_ms,
  };
}

function labelOf(start: number, { step, steps, end }: UsageFigures, format: Format): string {
  if (step !== 'hour') return format.dayKey(start).slice(5);
  const isOneDay = end - (steps[0] ?? start) <= 86_400;
  return isOneDay || format.clock(start) !== '00:00' ? format.clock(start) : format.dayKey(start).slice(5);
}

function nameOf(start: number, end: number, { step }: UsageFigures, format: Format): string {
  if (step === 'hour') return `${format.day(start)} ${format.clock(start)}`;
  return step === 'day' ? format.day(start) : `${format.day(start)} – ${format.day(end - 1)}`;
}
