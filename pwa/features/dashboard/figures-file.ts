// Content of the dashboard as tables for a spreadsheet. They are built from figures on the device, so they work without a network. Headings
// are those of the log's export where both have the same column.
import { csvMark, csvRow } from '#shared/csv.ts';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { chartParts, type ChartStep, chartSteps, partOf } from './chart-steps.ts';
import type { DashboardQuestion } from './dashboard-question.ts';

interface FileOptions {
  format: Format;
  /** The time before has columns of its own. */
  isCompared: boolean;
  /** What stands for all that have no name of their own. */
  othersText: (count: number) => string;
}

interface Column<Row> {
  name: string;
  value: (row: Row) => string | number;
}

/** Every step with all that is measured, and what each part cost in it, oldest first. */
export function stepsFile(figures: UsageFigures, { format, isCompared, othersText }: FileOptions): string {
  const parts = chartParts(figures);
  const columns: Column<ChartStep>[] = [
    { name: 'time', value: ({ start }) => `${format.dayKey(start)} ${format.time(start)}` },
    { name: 'start', value: ({ start }) => isoTime(start) },
    { name: 'end', value: ({ end }) => isoTime(end) },
    { name: 'is_over', value: ({ end }) => String(end <= figures.at) },
    ...sumColumns<ChartStep>(format, ({ sums }) => sums),
    { name: 'duration_p50_ms', value: ({ latency }) => latency.duration?.p50 ?? '' },
    { name: 'duration_p95_ms', value: ({ latency }) => latency.duration?.p95 ?? '' },
    { name: 'first_byte_p50_ms', value: ({ latency }) => latency.first_byte?.p50 ?? '' },
    ...(isCompared ? sumColumns<ChartStep>(format, ({ previous }) => previous, 'before_') : []),
    ...parts.map((part, index) => ({
      name: `quota: ${part.name === undefined ? othersText(part.count) : part.label}`,
      value: (step: ChartStep) => partOf(step, part, index),
    })),
    { name: 'as_of', value: () => isoTime(figures.at) },
  ];
  return fileOf(columns, chartSteps(figures, format));
}

/** The parts by name, and the rest as one line: together they are the whole. */
export function breakdownFile(figures: UsageFigures, { format, othersText }: Omit<FileOptions, 'isCompared'>): string {
  const { by, others } = figures;
  const rest = { name: '', label: othersText(others.count), sums: others.sums };
  const rows = others.count === 0 ? figures.totals : [...figures.totals, rest];
  const columns: Column<(typeof rows)[number]>[] = [
    ...(by === 'channel' || by === 'user' ? [{ name: `${by}_id`, value: ({ name }: { name: string }) => name }] : []),
    { name: by, value: ({ label }) => label },
    ...sumColumns<(typeof rows)[number]>(format, ({ sums }) => sums),
    { name: 'start', value: () => isoTime(figures.start) },
    { name: 'end', value: () => isoTime(figures.end) },
    { name: 'as_of', value: () => isoTime(figures.at) },
  ];
  return fileOf(columns, rows);
}

/** `what`: the step or the dimension. Days are local. */
export function fileName(figures: UsageFigures, { user }: Pick<DashboardQuestion, 'user'>, options: { what: string; format: Format }) {
  const last = Math.max(figures.start, Math.min(figures.end - 1, figures.at));
  const days = [figures.start, last].map(options.format.dayKey);
  return `${['usage', ...(user === undefined ? [] : [user]), options.what, ...new Set(days)].join('-')}.csv`;
}

function sumColumns<Row>({ inCurrency, quotaPerUnit }: Format, sumsOf: (row: Row) => UsageSums, prefix = ''): Column<Row>[] {
  const column = (name: string, value: (sums: UsageSums) => number): Column<Row> => ({
    name: prefix + name,
    value: (row) => value(sumsOf(row)),
  });
  return [
    column('calls', (sums) => sums.calls),
    column('failed', (sums) => sums.errors),
    column('prompt_tokens', (sums) => sums.prompt_tokens),
    column('completion_tokens', (sums) => sums.completion_tokens),
    column('quota', (sums) => sums.quota),
    ...(inCurrency ? [column('usd', (sums) => Number((sums.quota / quotaPerUnit).toFixed(6)))] : []),
  ];
}

function fileOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ value }) => value(row)))];
  return csvMark + lines.map(csvRow).join('');
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
