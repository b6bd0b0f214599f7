// Charts of the dashboard: a separate chunk, with the library that draws them. Their content is next to them as a number and in a table, so
// they are pictures to a screen reader.
import type { ReactNode } from 'react';
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  useChartWidth,
  XAxis,
  type XAxisTickContentProps,
  YAxis,
} from 'recharts';
import { roundTicks } from '#pwa/ui/billing/round-ticks.ts';
import { type ChartStep, marksOf, withinPicture } from './chart-steps.ts';
import styles from './charts.module.css';

export interface ChartSeries {
  label: string;
  /** One of the tokens of series. */
  color: string;
  value: (step: ChartStep) => number | null;
}

export interface BarsProps {
  /** What the picture shows, read aloud. */
  label: string;
  steps: readonly ChartStep[];
  /** On top of each other. */
  series: readonly ChartSeries[];
  /** Of the time before, as a tick across the bar. */
  previous?: { label: string; value: (step: ChartStep) => number } | undefined;
  format: (value: number) => string;
  formatAxis: (value: number) => string;
  /** What one of the axis' units is in the values; 1 unless said. */
  unit?: number;
  /** Things that are counted: no mark between two of them. */
  isCount?: boolean;
  /** A click on a bar. */
  onStep: (step: ChartStep) => void;
}

export interface LinesProps {
  label: string;
  steps: readonly ChartStep[];
  series: readonly (ChartSeries & { isDashed?: boolean })[];
  format: (value: number) => string;
  formatAxis: (value: number) => string;
  onStep: (step: ChartStep) => void;
}

const axis = { stroke: 'var(--line-strong)', tickLine: false, tick: { fill: 'var(--ink-3)', fontSize: 12 } };
const margin = { top: 8, right: 4, bottom: 0, left: 0 };

export function Bars({ label, steps, series, previous, format, formatAxis, unit = 1, isCount = false, onStep }: BarsProps) {
  const rows = steps.map((step, place) => ({
    step,
    place,
    previous: previous?.value(step) || null,
    values: series.map((one) => one.value(step)),
  }));
  const ticks = roundTicks(Math.max(0, ...rows.flatMap(({ values, previous: before }) => [sum(values), before ?? 0])), { unit, isCount });
  const handleClick = (place: { activeTooltipIndex?: unknown }): void => {
    const step = steps[Number(place.activeTooltipIndex)];
    if (step !== undefined) onStep(step);
  };
  return (
    <Frame label={label}>
      <ComposedChart data={rows} margin={margin} accessibilityLayer={false} onClick={handleClick} barCategoryGap="22%">
        <Hatch />
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis dataKey="place" {...axis} {...marks(steps)} />
        <YAxis width="auto" axisLine={false} tickFormatter={formatAxis} {...scale(ticks)} {...axis} />
        <Tooltip
          cursor={{ fill: 'var(--hover)' }}
          isAnimationActive={false}
          content={({ active, payload }) =>
            active ? <Tip row={payload[0]?.payload} series={series} previous={previous} format={format} /> : null
          }
        />
        {series.map((one, index) => (
          <Bar
            key={one.label}
            dataKey={(row: Row) => row.values[index] ?? 0}
            stackId="all"
            fill={one.color}
            isAnimationActive={false}
            shape={(part: BarPart) => <Part {...part} color={one.color} />}
          />
        ))}
        {previous !== undefined && (
          <Line
            dataKey="previous"
            stroke="none"
            isAnimationActive={false}
            activeDot={false}
            dot={<Tick width={widthOf(steps.length)} />}
            legendType="none"
          />
        )}
      </ComposedChart>
    </Frame>
  );
}

export function Lines({ label, steps, series, format, formatAxis, onStep }: LinesProps) {
  const rows = steps.map((step, place) => ({ step, place, values: series.map((one) => one.value(step)) }));
  const ticks = roundTicks(Math.max(0, ...rows.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const handleClick = (place: { activeTooltipIndex?: unknown }): void => {
    const step = steps[Number(place.activeTooltipIndex)];
    if (step !== undefined) onStep(step);
  };
  return (
    <Frame label={label}>
      <ComposedChart data={rows} margin={margin} accessibilityLayer={false} onClick={handleClick}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis dataKey="place" {...axis} {...marks(steps)} />
        <YAxis width="auto" axisLine={false} tickFormatter={formatAxis} {...scale(ticks)} {...axis} />
        <Tooltip
          cursor={{ stroke: 'var(--line-strong)' }}
          isAnimationActive={false}
          content={({ active, payload }) => (active ? <Tip row={payload[0]?.payload} series={series} format={format} /> : null)}
        />
        {series.map((one, index) => (
          <Line
            key={one.label}
            dataKey={(row: Row) => row.values[index] ?? null}
            stroke={one.color}
            strokeWidth={1.5}
            {...(one.isDashed === true ? { strokeDasharray: '4 3' } : {})}
            isAnimationActive={false}
            // A lone value has no line.
            dot={{ r: 1.5, fill: one.color, strokeWidth: 0 }}
            connectNulls={false}
          />
        ))}
      </ComposedChart>
    </Frame>
  );
}

/** The steps that are named, each by its own words: two days have the same hours. */
function marks(steps: readonly ChartStep[]) {
  return {
    ticks: marksOf(steps),
    interval: 0,
    tick: ({ x, y, payload }: XAxisTickContentProps) => (
      <Mark x={Number(x)} y={Number(y)} label={steps[Number(payload.value)]?.label ?? ''} />
    ),
  } as const;
}

/** Below its step, and whole: the mark of a step at the edge moves inwards. */
function Mark({ x, y, label }: { x: number; y: number; label: string }) {
  const width = useChartWidth() ?? Number.POSITIVE_INFINITY;
  return (
    <text x={withinPicture(x, { label, width })} y={y} dy="0.71em" textAnchor="middle" fill="var(--ink-3)" fontSize={12}>
      {label}
    </text>
  );
}

/** All marks are drawn, and the last is where the picture ends. */
function scale(ticks: number[]) {
  return { ticks, domain: [0, ticks.at(-1) ?? 1], interval: 0, allowDecimals: true } as const;
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((whole, value) => whole + (value ?? 0), 0);
}

function Frame({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.chart}>
      <span role="img" aria-label={label} className={styles.name} />
      <div aria-hidden className={styles.picture}>
        <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 320, height: 220 }}>
          {children}
        </ResponsiveContainer>
      </div>
    </div>
  );
}

interface Row {
  step: ChartStep;
  previous?: number | null;
  values: (number | null)[];
}

/** What is not over is hatched. */
function Hatch() {
  return (
    <defs>
      <pattern id="dashboard-hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path d="M0 0v4" stroke="var(--sheet)" strokeWidth="1.6" />
      </pattern>
    </defs>
  );
}

interface BarPart {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  payload?: Row;
}

function Part({ x = 0, y = 0, width = 0, height = 0, payload, color }: BarPart & { color: string }) {
  if (height <= 0) return null;
  // A gap of one pixel between what is stacked, and never nothing for something.
  const shape = { x, y, width, height: Math.max(1, height - 1) };
  return (
    <g>
      <rect {...shape} fill={color} />
      {payload?.step.isOpen === true && <rect {...shape} fill="url(#dashboard-hatch)" />}
    </g>
  );
}

function Tick({ cx, cy, width }: { cx?: number; cy?: number; width: number }) {
  if (cx === undefined || cy === undefined) return null;
  return <path d={`M${cx - width / 2} ${cy}h${width}`} stroke="var(--ink)" strokeWidth="2" />;
}

function widthOf(count: number): number {
  return Math.max(4, Math.min(36, 260 / Math.max(1, count)));
}

interface TipProps {
  row: Row | undefined;
  series: readonly ChartSeries[];
  previous?: BarsProps['previous'];
  format: (value: number) => string;
}

function Tip({ row, series, previous, format }: TipProps) {
  if (row === undefined) return null;
  const parts = series.flatMap((one, index) => {
    const value = row.values[index];
    return value === null || value === undefined || (value === 0 && series.length > 2) ? [] : [{ ...one, value }];
  });
  return (
    <div className={styles.tip}>
      <b>{row.step.name}</b>
      <dl>
        {parts.map((part) => (
          <div key={part.label}>
            <dt>
              <i style={{ background: part.color }} />
              {part.label}
            </dt>
            <dd>{format(part.value)}</dd>
          </div>
        ))}
        {previous !== undefined && (
          <div>
            <dt>
              <i className={styles.tick} />
              {previous.label}
            </dt>
            <dd>{format(previous.value(row.step))}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}
