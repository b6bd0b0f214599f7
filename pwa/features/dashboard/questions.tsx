// The questions that the dashboard answers.
import { useTranslation } from 'react-i18next';
import type { UsageFigures, UsageLatency, UsageSums } from '#shared/dashboard.ts';
import { leastCompared } from '#pwa/ui/billing/comparison.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { type ChartPart, type ChartStep, latencyOf, partOf, sumOf, tokensOf, worstOf } from './chart-steps.ts';
import { useCallRates } from './call-rates.ts';
import { useBefore, useChange } from './comparison.ts';
import type { LogLink } from './log-link.ts';
import { QuestionBlock } from './question-block.tsx';
import { StepTable } from './step-table.tsx';
import styles from './dashboard.module.css';

// Placeholder next to or below a picture until the pictures have loaded.
const chartSpace = <div className={styles.chartSpace} />;
const Bars = lazyPart(
  () => import('./charts.tsx'),
  (part) => part.Bars,
  chartSpace,
);
const Lines = lazyPart(
  () => import('./charts.tsx'),
  (part) => part.Lines,
  chartSpace,
);

export interface QuestionProps {
  figures: UsageFigures;
  steps: readonly ChartStep[];
  parts: readonly ChartPart[];
  whole: UsageSums;
  /** The previous period is shown as well. */
  isCompared: boolean;
  linkOf: (step: ChartStep, isFailed?: boolean) => LogLink;
  onStep: (step: ChartStep, isFailed?: boolean) => void;
}

const colors = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)', 'var(--series-5)', 'var(--series-rest)'];

const quotaIn = (sums: UsageSums): number => sums.quota;

export function Spent({ figures, steps, parts, whole, isCompared, linkOf, onStep }: QuestionProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const change = useChange({ figures, isCompared, value: quotaIn, least: leastCompared.dollars * format.quotaPerUnit });
  const nameOf = (part: ChartPart): string => (part.name === undefined ? t('dashboard.others', { count: part.count }) : part.label);
  const unit = format.unit === '' ? t('common.quota.name') : format.unit;
  const spentBefore = {
    heading: t('dashboard.table.before', { unit }),
    value: (step: ChartStep) => format.quotaBare(step.previous.quota),
    total: format.quotaBare(sumOf(steps, (step) => step.previous.quota)),
  };
  return (
    <QuestionBlock
      title={t('dashboard.spent.title')}
      answer={format.quota(whole.quota)}
      remark={change}
      isTableWide={parts.length > 2}
      chart={
        <Bars
          label={t('dashboard.spent.picture')}
          steps={steps}
          series={parts.map((part, index) => ({
            label: nameOf(part),
            color: colors[part.name === undefined ? 5 : index] ?? 'var(--series-rest)',
            value: (step) => partOf(step, part, index),
          }))}
          format={format.quota}
          formatAxis={(value) => axisQuota(value, format.inCurrency, format.quotaPerUnit)}
          unit={format.inCurrency ? format.quotaPerUnit : 1}
          onStep={(step) => onStep(step)}
        />
      }
      aside={
        <dl className={styles.legend}>
          {parts.map((part, index) => (
            <div key={part.name ?? ''}>
              <dt title={nameOf(part)}>
                <i style={{ background: colors[part.name === undefined ? 5 : index] }} />
                <span>{nameOf(part)}</span>
              </dt>
              <dd>{format.quotaBare(part.sums.quota)}</dd>
              <dd className={styles.share}>{whole.quota === 0 ? '' : format.wholePercent(part.sums.quota / whole.quota)}</dd>
            </div>
          ))}
          <div className={styles.sum}>
            <dt>{t('dashboard.table.total_unit', { unit })}</dt>
            <dd>{format.quotaBare(whole.quota)}</dd>
            <dd />
          </div>
        </dl>
      }
      table={
        <StepTable
          label={t('dashboard.spent.title')}
          steps={steps}
          columns={[
            {
              heading: t('dashboard.table.spent', { unit }),
              value: (step) => format.quotaBare(step.sums.quota),
              total: format.quotaBare(whole.quota),
            },
            ...(isCompared ? [spentBefore] : []),
            // One part alone is the whole.
            ...(parts.length < 2 ? [] : parts).map((part, index) => ({
              key: part.name ?? '',
              heading: nameOf(part),
              value: (step: ChartStep) => format.quotaBare(partOf(step, part, index)),
              total: format.quotaBare(part.sums.quota),
            })),
          ]}
          linkOf={(step) => linkOf(step)}
        />
      }
    />
  );
}

interface Counted {
  label: string;
  color: string;
  value: (sums: UsageSums) => number;
}

interface CountsProps extends QuestionProps {
  title: string;
  answer: string;
  remark: string | undefined;
  /** What the picture is, read aloud. */
  picture: string;
  series: readonly Counted[];
  /** What is compared with the time before: the sum of the series. */
  compared: (sums: UsageSums) => number;
  /** Sums have a short form. */
  isShort?: boolean;
  /** Bars and rows lead to what failed. */
  isOfFailed?: boolean;
  /** Further columns of the table. */
  more?: readonly { heading: string; value: (step: ChartStep) => string; total: string }[];
}

const nothing: NonNullable<CountsProps['more']> = [];

/** How many there were of something, step by step. */
function Counts({
  steps,
  whole,
  isCompared,
  linkOf,
  onStep,
  series,
  compared,
  isShort = false,
  isOfFailed = false,
  more = nothing,
  ...texts
}: CountsProps) {
  const format = useFormat();
  const before = useBefore({ steps, isCompared, value: compared, ...(isShort ? { isShort } : {}) });
  const sumText = isShort ? format.countShort : format.count;
  return (
    <QuestionBlock
      title={texts.title}
      answer={texts.answer}
      remark={texts.remark}
      chart={
        <Bars
          label={texts.picture}
          steps={steps}
          series={series.map(({ label, color, value }) => ({ label, color, value: (step) => value(step.sums) }))}
          previous={before?.bars}
          format={format.count}
          formatAxis={axisCount}
          isCount
          onStep={(step) => onStep(step, isOfFailed)}
        />
      }
      legend={[
        ...series.map(({ label, color, value }) => ({ label, color, shape: 'bar' as const, value: sumText(value(whole)) })),
        ...listOf(before?.line),
      ]}
      table={
        <StepTable
          label={texts.title}
          steps={steps}
          columns={[
            ...series.map(({ label, value }) => ({
              heading: label,
              value: (step: ChartStep) => format.count(value(step.sums)),
              total: format.count(value(whole)),
            })),
            ...more,
            ...listOf(before?.column),
          ]}
          linkOf={(step) => linkOf(step, isOfFailed)}
        />
      }
    />
  );
}

export function Calls(props: QuestionProps) {
  const { figures, whole, isCompared } = props;
  const { t } = useTranslation();
  const format = useFormat();
  const change = useChange({ figures, isCompared, value: callsOf, least: leastCompared.calls });
  const rates = useCallRates(figures, whole);
  return (
    <Counts
      {...props}
      title={t('dashboard.calls.title')}
      answer={format.count(whole.calls)}
      remark={[change, rates].filter((part) => part !== undefined).join(' · ')}
      picture={t(isCompared ? 'dashboard.calls.picture_compared' : 'dashboard.calls.picture')}
      series={[{ label: t('dashboard.calls.now'), color: 'var(--water)', value: callsOf }]}
      compared={callsOf}
    />
  );
}

export function Failures(props: QuestionProps) {
  const { figures, whole, isCompared } = props;
  const { t } = useTranslation();
  const format = useFormat();
  const worst = worstOf(figures.totals);
  const share = (sums: UsageSums): string => (sums.calls === 0 ? '—' : format.share(sums.errors / sums.calls));
  return (
    <Counts
      {...props}
      title={t('dashboard.failures.title')}
      answer={format.count(whole.errors)}
      remark={
        worst === undefined
          ? t('dashboard.failures.none')
          : t('dashboard.failures.remark', { share: share(whole), name: worst.label, count: worst.sums.errors })
      }
      picture={t(isCompared ? 'dashboard.failures.picture_compared' : 'dashboard.failures.picture')}
      series={[{ label: t('dashboard.failures.now'), color: 'var(--bad-fill)', value: errorsOf }]}
      compared={errorsOf}
      isOfFailed
      more={[{ heading: t('dashboard.failures.share'), value: (step) => share(step.sums), total: share(whole) }]}
    />
  );
}

export function Tokens(props: QuestionProps) {
  const { figures, whole, isCompared } = props;
  const { t } = useTranslation();
  const format = useFormat();
  const change = useChange({ figures, isCompared, value: tokensOf, least: leastCompared.tokens });
  return (
    <Counts
      {...props}
      title={t('dashboard.tokens.title')}
      answer={format.countShort(tokensOf(whole))}
      remark={change}
      picture={t('dashboard.tokens.picture')}
      series={(['prompt_tokens', 'completion_tokens'] as const).map((field, index) => ({
        label: t(`dashboard.tokens.${field}`),
        color: colors[index] ?? '',
        value: (sums) => sums[field],
      }))}
      compared={tokensOf}
      isShort
    />
  );
}

const callsOf = ({ calls }: UsageSums) => calls;
const errorsOf = ({ errors }: UsageSums) => errors;

export function Speed({ figures, steps, linkOf, onStep }: QuestionProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const slow = { label: t('dashboard.speed.p95'), color: 'var(--series-2)', isDashed: false, value: p95Of };
  const half = { label: t('dashboard.speed.p50'), color: 'var(--series-1)', isDashed: false, value: p50Of };
  const first = { label: t('dashboard.speed.first_byte'), color: 'var(--series-3)', isDashed: true, value: firstByteOf };
  const lines = [slow, half, first];
  // A phone shows the first two without scrolling.
  const columns = [half, slow, first];
  const show = (value: number | null): string => (value === null ? '—' : format.duration(value));
  const whole = latencyOf(figures);
  return (
    <QuestionBlock
      title={t('dashboard.speed.title')}
      answer={show(p50Of(whole))}
      remark={t(whole.duration === null ? 'dashboard.speed.unknown' : 'dashboard.speed.remark', { slow: show(p95Of(whole)) })}
      chart={
        <Lines
          label={t('dashboard.speed.picture')}
          steps={steps}
          series={lines.map((line) => ({ ...line, value: (step) => line.value(step.latency) }))}
          format={format.duration}
          formatAxis={axisTime}
          onStep={(step) => onStep(step)}
        />
      }
      legend={lines.map((line) => ({ ...line, shape: line.isDashed ? 'dashed' : 'line', value: show(line.value(whole)) }))}
      table={
        <StepTable
          label={t('dashboard.speed.title')}
          steps={steps}
          columns={columns.map((line) => ({
            heading: line.label,
            value: (step) => show(line.value(step.latency)),
            total: show(line.value(whole)),
          }))}
          linkOf={(step) => linkOf(step)}
        />
      }
    />
  );
}

const p50Of = ({ duration }: UsageLatency) => duration?.p50 ?? null;
const p95Of = ({ duration }: UsageLatency) => duration?.p95 ?? null;
const firstByteOf = ({ first_byte: first }: UsageLatency) => first?.p50 ?? null;

function listOf<Item>(item: Item | undefined): Item[] {
  return item === undefined ? [] : [item];
}

function axisQuota(value: number, inCurrency: boolean, quotaPerUnit: number): string {
  if (!inCurrency) return axisCount(value);
  return (value / quotaPerUnit).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

/** Marks are round: from a thousand on one letter is enough. */
function axisCount(value: number): string {
  const [size, letter] = value >= 1e9 ? [1e9, 'B'] : value >= 1e6 ? [1e6, 'M'] : value >= 1e3 ? [1e3, 'k'] : [1, ''];
  return `${(value / size).toLocaleString('en-US', { maximumSignificantDigits: 3 })}${letter}`;
}

/** Milliseconds, short. */
function axisTime(value: number): string {
  if (value > 0 && value < 1000) return `${value.toLocaleString('en-US', { maximumFractionDigits: 1 })} ms`;
  return `${(value / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s`;
}
