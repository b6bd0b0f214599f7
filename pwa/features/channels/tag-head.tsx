import { useTranslation } from 'react-i18next';
import type { ChannelTag } from '#shared/channel-tags.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Checkbox } from '#pwa/ui/list/checkbox.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import type { Selection } from '#pwa/ui/list/selection.ts';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { TagStates } from './tag-cells.tsx';
import styles from './tag-head.module.css';

export type TagCommand = 'enable_tag' | 'disable_tag' | 'edit_tag';

interface TagHeadProps {
  name: string;
  /** Undefined while they are not known. */
  totals: ChannelTag | undefined;
  /** Absent: they are not ticked together. */
  selection?: Selection<number>;
  /** Its channels are not listed. */
  isFolded: boolean;
  onFold: (isFolded: boolean) => void;
}

/** The name of a tag with the number of its channels; ticks all of them. A card has no columns: there it says how they stand. */
export function TagHead({ name, totals, selection, isFolded, onFold }: TagHeadProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const ids = totals?.ids ?? [];
  const ticked = ids.filter((id) => selection?.keys.has(id)).length;
  return (
    <span className={`${layout.row} ${styles.head}`}>
      {ids.length > 0 && selection !== undefined && !isPhone && (
        <Checkbox
          label={t('channels.tag.tick', { name })}
          isTicked={ticked === ids.length}
          isMixed={ticked > 0 && ticked < ids.length}
          onChange={() => selection.set(ids, ticked < ids.length)}
        />
      )}
      <button
        type="button"
        className={`${control.bare} ${styles.fold}`}
        aria-expanded={!isFolded}
        aria-label={t(isFolded ? 'channels.tag.unfold' : 'channels.tag.fold', { name })}
        onClick={() => onFold(!isFolded)}
      >
        <Icon name={isFolded ? 'right' : 'down'} />
      </button>
      <b>{name}</b>
      {totals !== undefined && <span className={typography.muted}>{ids.length}</span>}
      {totals !== undefined && isPhone && <TagStates totals={totals} />}
    </span>
  );
}

/** On a phone: what is left, and what can be done. */
export function TagSums({ totals, children }: { totals: ChannelTag | undefined; children?: React.ReactNode }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (totals === undefined) return null;
  return (
    <span className={`${layout.row} ${styles.sums}`}>
      {totals.balance !== null && <span>{t('channels.tag.left', { amount: format.usd(totals.balance) })}</span>}
      {children}
    </span>
  );
}

interface TagMenuProps {
  totals: ChannelTag;
  onCommand: (command: TagCommand, tag: ChannelTag) => void;
}

/** What can be done with all channels of a tag. */
export function TagMenu({ totals, onCommand }: TagMenuProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  return (
    <span className={styles.menu}>
      <RowMenu
        label={t('channels.tag.more', { name: totals.tag })}
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
    </span>
  );
}
