// The questions that the dashboard answers.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { UsageFigures, UsageLatency, UsageSums } from '#shared/dashboard.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { changeOf, type ChartPart, type ChartStep, latencyOf, tokensOf, worstOf } from './chart-steps.ts';
import type { LogLink } from './log-link.ts';
import { QuestionBlock } from './question-block.tsx';
import { StepTable } from './step-table.tsx';
import styles from './dashboard.module.css';

const Bars = lazyPart(
  () => import('./charts.tsx'),
  (part) => part.Bars,
);
const Lines = lazyPart(
  () => import('./charts.tsx'),
  (part) => part.Lines,
);

export interface QuestionProps {
  figures: UsageFigures;
  steps: readonly ChartStep[];
  parts: readonly ChartPart[];
  whole: UsageSums;
  linkOf: (step: ChartStep, isFailed?: boolean) => LogLink;
  onStep: (step: ChartStep, isFailed?: boolean) => void;
}

const colors = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)', 'var(--series-5)', 'var(--series-rest)'];

export function Spent({ figures, steps, parts, whole, linkOf, onStep }: QuestionProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const change = useChange(figures, whole.quota, figures.previous_so_far.quota);
  const nameOf = (part: ChartPart): string => (part.name === undefined ? t('dashboard.others', { count: part.count }) : part.label);
  const unit = format.unit === '' ? t('common.quota.name') : format.unit;
  return (
    <QuestionBlock
      title={t('dashboard.spent.title')}
      answer={format.quota(whole.quota)}
      remark={change}
      chart={
        <Bars
          label={t('dashboard.spent.picture')}
          steps={steps}
          series={parts.map((part, index) => ({
            label: nameOf(part),
            color: colors[part.name === undefined ? 5 : index] ?? 'var(--series-rest)',
            value: (step) => step.parts[part.name === undefined ? step.parts.length - 1 : index] ?? 0,
          }))}
          format={format.quota}
          formatAxis={(value) => axisQuota(value, format.inCurrency, format.quotaPerUnit, format.countShort)}
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
              <dd className={styles.share}>{whole.quota === 0 ? '' : format.percent(part.sums.quota / whole.quota, 0)}</dd>
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
            { heading: t('dashboard.table.spent', { unit }), value: (step) => format.quotaBare(step.sums.quota) },
            { heading: t('dashboard.table.before', { unit }), value: (step) => format.quotaBare(step.previous.quota) },
          ]}
          total={[format.quotaBare(whole.quota), format.quotaBare(sumOf(steps, (step) => step.previous.quota))]}
          linkOf={(step) => linkOf(step)}
        />
      }
    />
  );
}

export function Calls({ figures, steps, whole, linkOf, onStep }: QuestionProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const change = useChange(figures, whole.calls, figures.previous_so_far.calls);
  const callsBefore = sumOf(steps, (step) => step.previous.calls);
  const minutes = Math.max(1, (Math.min(figures.at, figures.end) - figures.start) / 60);
  const rates = t('dashboard.calls.rates', {
    rpm: rate(whole.calls / minutes, format.countShort),
    tpm: rate(tokensOf(whole) / minutes, format.countShort),
  });
  return (
    <QuestionBlock
      title={t('dashboard.calls.title')}
      answer={format.count(whole.calls)}
      remark={change === undefined ? rates : `${change} · ${rates}`}
      chart={
        <Bars
          label={t('dashboard.calls.picture')}
          steps={steps}
          series={[{ label: t('dashboard.calls.now'), color: 'var(--water)', value: (step) => step.sums.calls }]}
          previous={{ label: t('dashboard.calls.before'), value: (step) => step.previous.calls }}
          format={format.count}
          formatAxis={format.countShort}
          isCount
          onStep={(step) => onStep(step)}
        />
      }
      legend={barLegend(t, { now: 'dashboard.calls.now', color: 'var(--water)', counts: [whole.calls, callsBefore].map(format.count) })}
      table={
        <StepTable
          label={t('dashboard.calls.title')}
          steps={steps}
          columns={[
            { heading: t('dashboard.calls.now'), value: (step) => format.count(step.sums.calls) },
            { heading: t('dashboard.calls.before'), value: (step) => format.count(step.previous.calls) },
          ]}
          total={[format.count(whole.calls), format.count(callsBefore)]}
          linkOf={(step) => linkOf(step)}
        />
      }
    />
  );
}

export function Failures({ figures, steps, whole, linkOf, onStep }: QuestionProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const worst = worstOf(figures.totals);
  const share = (sums: UsageSums): string => (sums.calls === 0 ? '—' : format.percent(sums.errors / sums.calls, 2));
  return (
    <QuestionBlock
      title={t('dashboard.failures.title')}
      answer={format.count(whole.errors)}
      remark={
        worst === undefined
          ? t('dashboard.failures.none')
          : t('dashboard.failures.remark', { share: share(whole), name: worst.label, count: worst.sums.errors })
      }
      chart={
        <Bars
          label={t('dashboard.failures.picture')}
          steps={steps}
          series={[{ label: t('dashboard.failures.now'), color: 'var(--bad-fill)', value: (step) => step.sums.errors }]}
          previous={{ label: t('dashboard.calls.before'), value: (step) => step.previous.errors }}
          format={format.count}
          formatAxis={format.countShort}
          isCount
          onStep={(step) => onStep(step, true)}
        />
      }
      legend={barLegend(t, {
        now: 'dashboard.failures.now',
        color: 'var(--bad-fill)',
        counts: [whole.errors, sumOf(steps, (step) => step.previous.errors)].map(format.count),
      })}
      table={
        <StepTable
          label={t('dashboard.failures.title')}
          steps={steps}
          columns={[
            { heading: t('dashboard.failures.now'), value: (step) => format.count(step.sums.errors) },
            { heading: t('dashboard.failures.share'), value: (step) => share(step.sums) },
          ]}
          total={[format.count(whole.errors), share(whole)]}
          linkOf={(step) => linkOf(step, true)}
        />
      }
    />
  );
}

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
      legend={lines.map((line) => ({ ...line, value: show(line.value(whole)) }))}
      table={
        <StepTable
          label={t('dashboard.speed.title')}
          steps={steps}
          columns={columns.map((line) => ({ heading: line.label, value: (step) => show(line.value(step.latency)) }))}
          total={columns.map((line) => show(line.value(whole)))}
          linkOf={(step) => linkOf(step)}
        />
      }
    />
  );
}

const p50Of = ({ duration }: UsageLatency) => duration?.p50 ?? null;
const p95Of = ({ duration }: UsageLatency) => duration?.p95 ?? null;
const firstByteOf = ({ first_byte: first }: UsageLatency) => first?.p50 ?? null;

export function Tokens({ figures, steps, whole, linkOf, onStep }: QuestionProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const change = useChange(figures, tokensOf(whole), tokensOf(figures.previous_so_far));
  const fields = ['prompt_tokens', 'completion_tokens'] as const;
  return (
    <QuestionBlock
      title={t('dashboard.tokens.title')}
      answer={format.countShort(tokensOf(whole))}
      remark={change}
      chart={
        <Bars
          label={t('dashboard.tokens.picture')}
          steps={steps}
          series={fields.map((field, index) => ({
            label: t(`dashboard.tokens.${field}`),
            color: colors[index] ?? '',
            value: (step) => step.sums[field],
          }))}
          previous={{ label: t('dashboard.calls.before'), value: (step) => tokensOf(step.previous) }}
          format={format.count}
          formatAxis={format.countShort}
          isCount
          onStep={(step) => onStep(step)}
        />
      }
      legend={[
        ...fields.map((field, index) => ({
          label: t(`dashboard.tokens.${field}`),
          color: colors[index] ?? '',
          isDashed: false,
          value: format.countShort(whole[field]),
        })),
        {
          label: t('dashboard.calls.before'),
          color: 'var(--ink)',
          isDashed: false,
          value: format.countShort(sumOf(steps, (step) => tokensOf(step.previous))),
        },
      ]}
      table={
        <StepTable
          label={t('dashboard.tokens.title')}
          steps={steps}
          columns={fields.map((field) => ({ heading: t(`dashboard.tokens.${field}`), value: (step) => format.count(step.sums[field]) }))}
          total={fields.map((field) => format.count(whole[field]))}
          linkOf={(step) => linkOf(step)}
        />
      }
    />
  );
}

/** What bars and ticks are, and what each came to. */
function barLegend(t: TFunction, { now, color, counts }: { now: string; color: string; counts: string[] }) {
  return [
    { label: t(now), color, isDashed: false, value: counts[0] ?? '' },
    { label: t('dashboard.calls.before'), color: 'var(--ink)', isDashed: false, value: counts[1] ?? '' },
  ];
}

/** In words how this time compares with the one before, as far as that had come by then. */
function useChange(figures: UsageFigures, now: number, before: number): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const change = changeOf(now, before);
  if (change === undefined || figures.complete_from !== null) return undefined;
  const isOpen = figures.at < figures.end;
  const share = format.percent(Math.abs(change));
  if (Math.abs(change) < 0.0005) return t('dashboard.change.same');
  return t(
    change > 0
      ? isOpen
        ? 'dashboard.change.more_open'
        : 'dashboard.change.more'
      : isOpen
        ? 'dashboard.change.less_open'
        : 'dashboard.change.less',
    { share },
  );
}

function sumOf(steps: readonly ChartStep[], value: (step: ChartStep) => number): number {
  return steps.reduce((sum, step) => sum + value(step), 0);
}

function rate(value: number, short: (value: number) => string): string {
  return value < 10 ? value.toLocaleString('en-US', { maximumSignificantDigits: 2 }) : short(value);
}

function axisQuota(value: number, inCurrency: boolean, quotaPerUnit: number, short: (value: number) => string): string {
  if (!inCurrency) return short(value);
  return (value / quotaPerUnit).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

/** Milliseconds, short. */
function axisTime(value: number): string {
  if (value > 0 && value < 1000) return `${value.toLocaleString('en-US', { maximumFractionDigits: 1 })} ms`;
  return `${(value / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s`;
}
