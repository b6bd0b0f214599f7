import { useTranslation } from 'react-i18next';
import type { PriceLine } from '#shared/price-sync.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { type ChangeLine, shareOf } from '#pwa/ui/list/change-lines.tsx';

/** Kinds whose name says what they depend on after a colon. */
const dependent = ['long_input', 'long_output', 'tier', 'video', 'tool', 'tuning'] as const;
const plain = [
  'input',
  'output',
  'cached',
  'written',
  'written_1h',
  'audio_input',
  'audio_output',
  'audio_cached',
  'image_input',
  'image_output',
  'call',
] as const;

/** Changes of prices in words. Needs the texts of `price-lines`. */
export function usePriceLines(): (lines: readonly PriceLine[]) => ChangeLine[] {
  const { t } = useTranslation();
  const format = useFormat();
  const nameOf = ({ name }: PriceLine): string => {
    const [head, ...rest] = name.split(':');
    const kind = dependent.find((one) => one === head);
    if (kind !== undefined)
      return t(`price-lines.kind.${kind}`, { of: kind.startsWith('long') ? format.countShort(Number(rest[0])) : rest.join(':') });
    const known = plain.find((one) => one === name);
    return known === undefined ? name : t(`price-lines.kind.${known}`);
  };
  const valueOf = ({ unit }: PriceLine, value: number | undefined): string => {
    if (value === undefined) return t('price-lines.none');
    return unit === 'factor' ? format.factor(value) : t(`price-lines.unit.${unit}`, { price: format.price(value) });
  };
  return (lines) =>
    lines.map((line) => ({
      name: nameOf(line),
      before: valueOf(line, line.before),
      after: valueOf(line, line.after),
      share: shareOf(line.before, line.after),
    }));
}
