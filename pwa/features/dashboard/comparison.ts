// The time before beside the one that is shown.
import { useTranslation } from 'react-i18next';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { changeOf, type ChartStep, sumOf, wholeOf } from './chart-steps.ts';

interface BeforeOptions {
  steps: readonly ChartStep[];
  isCompared: boolean;
  value: (sums: UsageSums) => number;
  /** Its sum is told in short. */
  isShort?: boolean;
}

/** The time before as ticks across bars, as a line of the legend and as a column; undefined when it is not asked for. */
export function useBefore({ steps, isCompared, value, isShort = false }: BeforeOptions) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!isCompared) return undefined;
  const label = t('dashboard.calls.before');
  const sum = sumOf(steps, (step) => value(step.previous));
  return {
    bars: { label, value: (step: ChartStep) => value(step.previous) },
    line: { label, color: 'var(--ink)', isDashed: false, value: isShort ? format.countShort(sum) : format.count(sum) },
    column: { heading: label, value: (step: ChartStep) => format.count(value(step.previous)), total: format.count(sum) },
  };
}

/** In words how this time compares with the one before, as far as that had come by then. */
export function useChange(figures: UsageFigures, isCompared: boolean, value: (sums: UsageSums) => number): string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const change = changeOf(value(wholeOf(figures)), value(figures.previous_so_far));
  if (!isCompared || change === undefined || figures.complete_from !== null) return undefined;
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
