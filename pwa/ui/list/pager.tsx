import { useEffect } from 'react';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { pageSizes, rememberPageSize, windowPageSize } from './list-search.ts';
import styles from './pager.module.css';

/** Pages by number where a total is known; by cursor, newer and older, where the list is a stream. */
export type PagerProps = NumberedPager | CursorPager;

interface Sized {
  size: number;
  onSize: (size: number) => void;
}
export interface NumberedPager extends Sized {
  cursor?: never;
  /** From 1. */
  page: number;
  total: number;
  /** The total is at least this; there may be more. */
  isLowerBound?: boolean | undefined;
  /** Rows of this page: beyond the total it is the last one when it is not full. */
  shown?: number | undefined;
  onPage: (page: number) => void;
}
export interface CursorPager extends Sized {
  cursor: true;
  hasNewer: boolean;
  hasOlder: boolean;
  onNewer: () => void;
  onOlder: () => void;
}

export function Pager(props: PagerProps) {
  const { t } = useTranslation();
  const isStream = props.cursor === true;
  const pages = isStream ? 1 : Math.max(1, Math.ceil(props.total / props.size));
  // An address from before rows were deleted, or with another page size, names a page that is no more.
  const isBeyond = !isStream && props.total > 0 && props.isLowerBound !== true && props.page > pages;
  const handlePage = isStream ? undefined : props.onPage;
  useEffect(() => {
    if (isBeyond) handlePage?.(pages);
  });
  const hasPrevious = isStream ? props.hasNewer : props.page > 1;
  const hasNext = isStream
    ? props.hasOlder
    : props.page < pages || (props.isLowerBound === true && (props.shown ?? props.size) >= props.size);
  return (
    <nav className={styles.pager} aria-label={t('common.pager.label')}>
      <SizeChoice size={props.size} onSize={props.onSize} />
      {!isStream && <Range {...props} />}
      {(isStream || pages > 1 || hasPrevious || hasNext) && (
        <span className={styles.buttons}>
          <Button
            variant="subtle"
            className={styles.button}
            disabled={!hasPrevious}
            leftSection={<Icon name="left" />}
            onClick={() => (isStream ? props.onNewer() : props.onPage(props.page - 1))}
          >
            {t(isStream ? 'common.pager.newer' : 'common.pager.previous')}
          </Button>
          <Button
            className={styles.button}
            disabled={!hasNext}
            rightSection={<Icon name="right" />}
            onClick={() => (isStream ? props.onOlder() : props.onPage(props.page + 1))}
          >
            {t(isStream ? 'common.pager.older' : 'common.pager.next')}
          </Button>
        </span>
      )}
    </nav>
  );
}

function Range({ page, size, total: counted, isLowerBound = false, shown = size }: NumberedPager) {
  const { t } = useTranslation();
  const format = useFormat();
  const before = (page - 1) * size;
  // A page that is not full is the last one: then the total is known.
  const isOpen = isLowerBound && (shown === 0 || shown >= size);
  const total = isLowerBound && !isOpen ? Math.max(counted, before + shown) : counted;
  const end = isLowerBound ? before + shown : Math.min(page * size, total);
  const start = total === 0 ? 0 : Math.min(before + 1, end);
  return (
    <span className={styles.range}>
      {t(isOpen ? 'common.pager.range_at_least' : 'common.pager.range', {
        start: format.count(start),
        end: format.count(end),
        total: format.count(total),
      })}
    </span>
  );
}

function SizeChoice({ size, onSize }: Sized) {
  const { t } = useTranslation();
  const sizes = [...new Set([...pageSizes, windowPageSize(), size])].sort((one, other) => one - other);
  return (
    <span className={styles.size}>
      <select
        aria-label={t('common.pager.size')}
        value={size}
        onChange={(event) => {
          const chosen = Number(event.currentTarget.value);
          rememberPageSize(chosen);
          onSize(chosen);
        }}
      >
        {sizes.map((offered) => (
          <option key={offered} value={offered}>
            {t('common.pager.per_page', { count: offered })}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}
