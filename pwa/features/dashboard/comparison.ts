// Previous period next to the one that is shown.
import { useTranslation } from 'react-i18next';
import type { UsageFigures, UsageSums } from '#shared/dashboard.ts';
import { compare } from '#pwa/ui/billing/comparison.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type ChartStep, sumOf, wholeOf } from './chart-steps.ts';

interface BeforeOptions {
  steps: readonly ChartStep[];
  isCompared: boolean;
  value: (sums: UsageSums) => number;
  /** The sum is shown in short form. */
  isShort?: boolean;
}

/** Previous period as ticks across bars, as a line of the legend and as a column; undefined without a comparison. */
export function useBefore({ steps, isCompared, value, isShort = false }: BeforeOptions) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!isCompared) return undefined;
  const label = t('dashboard.calls.before');
  const sum = sumOf(steps, (step) => value(step.previous));
  return {
    bars: { label, value: (step: ChartStep) => value(step.previous) },
    line: { label, color: 'var(--ink)', shape: 'line' as const, value: isShort ? format.countShort(sum) : format.count(sum) },
    column: { heading: label, value: (step: ChartStep) => format.count(value(step.previous)), total: format.count(sum) },
  };
}

interface ChangeOptions {
  figures: UsageFigures;
  isCompared: boolean;
  value: (sums: UsageSums) => number;
  /** What there must have been before. */
  least: number;
}

/** In words how this time compares with the one before, as far as that had come after the same time. */
export function useChange({ figures, isCompared, value, least }: ChangeOptions): string | undefined {
  const { t } = useTranslation();
  if (!isCompared || figures.complete_from !== null) return undefined;
  const found = compare(value(wholeOf(figures)), value(figures.previous_so_far), least);
  if (found === undefined) return undefined;
  const isOpen = figures.at < figures.end;
  return t(`dashboard.change.${found.kind}${isOpen && found.kind !== 'same' ? '_open' : ''}`, { ...found });
}
