import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { showShortcutHelp } from '#pwa/ui/frame/shortcuts.ts';
import control from '#pwa/ui/styles/control.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './list-parts.module.css';
import { type AllRows, SelectAll } from './select-all.tsx';
import { Pager, type PagerProps } from './pager.tsx';

/** What would be here, and the one action that fills it. */
export interface EmptyText {
  title: string;
  text: string;
  action?: ReactNode;
}

export function EmptyList(props: EmptyText & { filtersSet: number; onClearFilters?: () => void }) {
  const { t } = useTranslation();
  if (props.filtersSet > 0) {
    return (
      <div className={styles.empty}>
        <b>{t('common.list.no_match')}</b>
        <p>{t('common.list.filters_set', { count: props.filtersSet })}</p>
        {props.onClearFilters !== undefined && <Button onClick={props.onClearFilters}>{t('common.filter.clear')}</Button>}
      </div>
    );
  }
  return (
    <div className={styles.empty}>
      <b>{props.title}</b>
      <p>{props.text}</p>
      {props.action}
    </div>
  );
}

interface ListFootProps {
  selected: number;
  onClear: (() => void) | undefined;
  bulkActions: ReactNode;
  allRows: AllRows | undefined;
  pager: PagerProps | undefined;
  hasPanel: boolean;
}

/** Under a list: keys, pages; or what can be done with the ticked rows, in the same place. */
export function ListFoot({ selected, onClear, bulkActions, allRows, pager, hasPanel }: ListFootProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  if (selected > 0) {
    return (
      <div className={styles.bulk} role="toolbar" aria-label={t('common.list.selected', { count: selected })}>
        <b className={styles.selected}>{t('common.list.selected', { count: selected })}</b>
        {allRows !== undefined && <SelectAll {...allRows} />}
        <span className={`${layout.fill} ${styles.actions}`}>{bulkActions}</span>
        <Button variant="subtle" onClick={onClear}>
          {t('common.list.unselect')}
          {!isPhone && <kbd className={styles.key}>Esc</kbd>}
        </Button>
      </div>
    );
  }
  if (pager === undefined) return null;
  return (
    <footer className={styles.foot}>
      {!isPhone && (
        <button type="button" className={`${control.bare} ${styles.hints}`} onClick={() => showShortcutHelp(true)}>
          <kbd>J</kbd> <kbd>K</kbd> {t('common.keys.walk_short')}
          {hasPanel && (
            <>
              {' '}
              <kbd>Enter</kbd> {t('common.keys.open_short')}
            </>
          )}{' '}
          <kbd>?</kbd> {t('common.keys.all')}
        </button>
      )}
      <Pager {...pager} />
    </footer>
  );
}
