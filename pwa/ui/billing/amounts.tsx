// What columns of amounts and counts hold: short enough to be compared, the exact figure a pointer away.
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { useFormat } from './format-context.ts';

/** Quota in a column that names its unit; a card has no heading, so there the amount has its own. */
export function QuotaCell({ quota }: { quota: number }) {
  const format = useFormat();
  if (useIsPhone()) return format.quota(quota);
  const text = format.quotaBare(quota);
  const exact = format.charge(quota);
  return <span title={exact === text ? undefined : exact}>{text}</span>;
}

/** `27.1k`; small counts are whole. */
export function ShortCount({ count }: { count: number }) {
  const format = useFormat();
  const text = format.countShort(count);
  const exact = format.count(count);
  return <span title={exact === text ? undefined : exact}>{text}</span>;
}
