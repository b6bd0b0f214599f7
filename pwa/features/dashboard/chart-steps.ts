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
  /** Of its start, on the clock of the reader. */
  hour: number;
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
      hour: Number(format.clock(start).slice(0, 2)),
      sums,
      previous: figures.previous[index] ?? noUsage,
      latency: figures.latency?.steps[index] ?? unknown,
      isOpen: figures.at >= start && figures.at < end,
      parts: [...named, Math.max(0, rest)],
    };
  });
}

/** Marks below a picture: more would touch each other on a phone. */
const mostMarks = 7;
const hoursBetween = [1, 2, 3, 4, 6, 12, 24, 48, 72, 96, 168];
const daysBetween = [1, 2, 5, 7, 14, 31, 61, 92];
const hourSeconds = 3600;

/** Places of the steps that are named below a picture, at one distance: hours that it divides, days from the first on. */
export function marksOf(steps: readonly Pick<ChartStep, 'start' | 'end' | 'hour'>[]): number[] {
  const [first] = steps;
  if (first === undefined) return [];
  // An hour of a clock that is changed may be longer than another.
  const isByHour = first.end - first.start < 2 * hourSeconds;
  const distance = (isByHour ? hoursBetween : daysBetween).find((one) => steps.length / one <= mostMarks) ?? steps.length;
  const isMark = ({ hour }: Pick<ChartStep, 'hour'>, place: number): boolean =>
    isByHour && distance < 24 ? hour % distance === 0 : (place - firstMidnight(steps, isByHour)) % distance === 0;
  return steps.flatMap((step, place) => (isMark(step, place) ? [place] : []));
}

/** Pixels of a letter of 12 px, and of a Chinese one; the widest digits of the fonts that a system may have. */
const letterWidth = { narrow: 7, wide: 12 };

/** Where the middle of a mark stands for the mark to end within a picture of that width. */
export function withinPicture(middle: number, { label, width }: { label: string; width: number }): number {
  const length = [...label].reduce((sum, letter) => sum + (letter > '\u2e80' ? letterWidth.wide : letterWidth.narrow), 0);
  return Math.max(length / 2, Math.min(middle, width - length / 2));
}

/** Of hours: where a day begins. */
function firstMidnight(steps: readonly Pick<ChartStep, 'hour'>[], isByHour: boolean): number {
  return isByHour
    ? Math.max(
        0,
        steps.findIndex(({ hour }) => hour === 0),
      )
    : 0;
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
