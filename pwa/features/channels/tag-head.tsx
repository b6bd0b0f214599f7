import { useTranslation } from 'react-i18next';
import type { ChannelTag } from '#shared/channel-tags.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone, useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { Checkbox } from '#pwa/ui/list/checkbox.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import type { Selection } from '#pwa/ui/list/selection.ts';
import type { ChannelFigures } from '#shared/channels.ts';
import { type FiguresView, okShare } from './channel-figures.ts';
import styles from './tag-head.module.css';

export type TagCommand = 'enable_tag' | 'disable_tag' | 'edit_tag';

interface TagHeadProps {
  tag: string;
  /** Undefined while they are not known. */
  totals: ChannelTag | undefined;
}

/** The name of a tag with how its channels stand; ticks all of them. */
export function TagHead({ tag, totals, selection }: TagHeadProps & { selection: Selection<number> }) {
  const { t } = useTranslation();
  const isTouched = useIsTouched();
  const name = tag === '' ? t('channels.tag.none') : tag;
  const ids = totals?.ids ?? [];
  const ticked = ids.filter((id) => selection.keys.has(id)).length;
  const counts = [
    ['on', totals?.enabled ?? 0],
    ['auto', totals?.disabled_by_system ?? 0],
    ['off', totals?.disabled_by_hand ?? 0],
  ] as const;
  return (
    <span className={styles.head}>
      {/* There is no room for a finger; its rows have boxes of their own. */}
      {ids.length > 0 && !isTouched && (
        <Checkbox
          label={t('channels.tag.tick', { name })}
          isTicked={ticked === ids.length}
          isMixed={ticked > 0 && ticked < ids.length}
          onChange={() => selection.set(ids, ticked < ids.length)}
        />
      )}
      <b>{name}</b>
      {totals !== undefined && <span className={styles.quiet}>{ids.length}</span>}
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

interface TagSumsProps extends TagHeadProps {
  figures: FiguresView;
  onCommand: (command: TagCommand, tag: ChannelTag) => void;
}

/** What the channels of a tag come to, and what can be done with all of them. */
export function TagSums({ tag, totals, figures, onCommand }: TagSumsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  if (totals === undefined) return null;
  const share = okShare(sumOf(totals.ids.map((id) => figures.of(id))));
  return (
    <span className={styles.sums}>
      {!isPhone && share !== null && <span>{t('channels.figures.ok', { share: format.percent(share) })}</span>}
      {totals.balance !== null && <span>{t('channels.tag.left', { amount: format.usd(totals.balance) })}</span>}
      {!isPhone && <span>{t('channels.tag.used', { amount: format.quota(totals.used_quota) })}</span>}
      {!isPhone && <span title={t('channels.tag.routing')}>{`${spanText(totals.priority)} · ${spanText(totals.weight)}`}</span>}
      {tag !== '' && (
        <RowMenu
          label={t('channels.tag.more', { name: tag })}
          width={220}
          content={() => ({
            actions: (['enable_tag', 'disable_tag', 'edit_tag'] as const).map((command) => ({
              key: command,
              label: needs(t(`channels.action.${command}`)),
              isDisabled: !isOnline,
              isDanger: false,
              onClick: () => onCommand(command, totals),
            })),
          })}
        />
      )}
    </span>
  );
}

/** `8`, or `3–8` where they differ. */
export function spanText([low, high]: readonly [number, number]): string {
  return low === high ? String(low) : `${low}–${high}`;
}

function sumOf(all: readonly (ChannelFigures | null | undefined)[]): Pick<ChannelFigures, 'calls' | 'failures'> {
  const sum = { calls: 0, failures: 0 };
  for (const figures of all) {
    sum.calls += figures?.calls ?? 0;
    sum.failures += figures?.failures ?? 0;
  }
  return sum;
}
