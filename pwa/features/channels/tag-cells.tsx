// What the channels of a tag come to, for the columns of the list.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelTag } from '#shared/channel-tags.ts';
import { QuotaCell } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { type FiguresView, sumFigures } from './channel-figures.ts';
import { CallStripOf, OkShareOf } from './figure-cells.tsx';
import styles from './tag-head.module.css';

/** By the key of their column. Medians and last tests have no sum. */
export function tagCells(totals: ChannelTag, figures: FiguresView, menu?: ReactNode): Record<string, ReactNode> {
  const own = figures.at === 0 ? undefined : sumFigures(totals.ids.map((id) => figures.of(id)));
  return {
    status: <TagStates totals={totals} />,
    calls: <CallStripOf own={own} since={figures.since} />,
    ok: <OkShareOf own={own} />,
    balance: <QuotaCell quota={totals.used_quota} />,
    left: <TagBalance balance={totals.balance} />,
    priority: <Span of={totals.priority} />,
    weight: <Span of={totals.weight} />,
    operate: menu,
  };
}

/** How many of them stand how. */
export function TagStates({ totals }: { totals: ChannelTag }) {
  const { t } = useTranslation();
  const counts = [
    ['on', totals.enabled],
    ['auto', totals.disabled_by_system],
    ['off', totals.disabled_by_hand],
  ] as const;
  return (
    <span className={`${layout.row} ${styles.head}`}>
      {counts.map(
        ([status, count]) =>
          count > 0 && (
            <StatusMark key={status} status={status}>
              <span title={t(`channels.status.${status}`)}>{count}</span>
            </StatusMark>
          ),
      )}
    </span>
  );
}

function TagBalance({ balance }: { balance: number | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  return balance === null ? t('channels.left_unknown') : format.usdBare(balance);
}

/** `8`, or `3–8` where they differ; apart where there is a minus as well. */
function Span({ of: [low, high] }: { of: readonly [number, number] }) {
  const format = useFormat();
  if (low === high) return format.count(low);
  return [format.count(low), format.count(high)].join(low < 0 ? ' – ' : '–');
}

/** All tags as one. */
export function sumTags(tags: readonly ChannelTag[]): ChannelTag {
  const sum: ChannelTag = {
    tag: '',
    ids: tags.flatMap(({ ids }) => ids),
    enabled: 0,
    disabled_by_hand: 0,
    disabled_by_system: 0,
    groups: [],
    used_quota: 0,
    balance: null,
    priority: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    weight: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  };
  for (const tag of tags) {
    sum.enabled += tag.enabled;
    sum.disabled_by_hand += tag.disabled_by_hand;
    sum.disabled_by_system += tag.disabled_by_system;
    sum.used_quota += tag.used_quota;
    if (tag.balance !== null) sum.balance = (sum.balance ?? 0) + tag.balance;
    sum.priority = [Math.min(sum.priority[0], tag.priority[0]), Math.max(sum.priority[1], tag.priority[1])];
    sum.weight = [Math.min(sum.weight[0], tag.weight[0]), Math.max(sum.weight[1], tag.weight[1])];
  }
  return sum;
}
