import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EntryKind, type WalletEntry } from '#shared/wallet.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { useMethodName } from './method-name.ts';
import { historyQuery, historySize } from './queries.ts';
import type { WalletSearch } from './wallet-search.ts';
import styles from './wallet.module.css';

interface HistoryBlockProps {
  page: number;
  kind: string | undefined;
  onSearch: (change: Partial<WalletSearch>) => void;
}

const kinds: readonly EntryKind[] = EntryKind.options;

export function HistoryBlock({ page, kind, onSearch }: HistoryBlockProps) {
  const { t } = useTranslation();
  const chosen = kinds.find((known) => known === kind);
  const history = useQuery(historyQuery(Math.max(1, page), chosen));
  const isStale = useConnection() !== 'online';
  const title = t('wallet.history.title');
  return (
    <Block
      title={title}
      aside={
        <span className={styles.kinds}>
          <Link to="/statement" className={styles.statement}>
            {t('wallet.history.statement')}
          </Link>
          <AsOf at={history.dataUpdatedAt} isStale={isStale} />
          <FilterSelect
            label={t('wallet.history.kind')}
            value={chosen ?? ''}
            options={kinds.map((value) => ({ value, label: t(`wallet.kind.${value}`) }))}
            onChange={(value) => onSearch({ kind: value || undefined, p: undefined })}
          />
        </span>
      }
    >
      <QueryState query={history} what={title} lines={5}>
        {({ items, total, total_is_lower_bound: isMore }) =>
          items.length === 0 ? (
            <p className={`${typography.compact} ${typography.muted} ${styles.none}`}>
              {t(chosen === undefined ? 'wallet.history.none' : 'wallet.history.none_of_kind')}
            </p>
          ) : (
            <>
              <ul className={styles.entries}>
                {items.map((entry) => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </ul>
              {(page > 1 || total > page * historySize || isMore === true) && (
                <div className={styles.pages}>
                  <Button variant="subtle" disabled={page <= 1} onClick={() => onSearch({ p: page - 1 > 1 ? page - 1 : undefined })}>
                    {t('common.pager.newer')}
                  </Button>
                  <Button
                    variant="subtle"
                    disabled={total <= page * historySize && (isMore !== true || items.length < historySize)}
                    onClick={() => onSearch({ p: page + 1 })}
                  >
                    {t('common.pager.older')}
                  </Button>
                </div>
              )}
            </>
          )
        }
      </QueryState>
    </Block>
  );
}

function Entry({ entry }: { entry: WalletEntry }) {
  const { t } = useTranslation();
  const format = useFormat();
  const methodName = useMethodName();
  const { order, code } = entry;
  const kind = kinds.find((known) => known === entry.kind) ?? 'other';
  const title =
    order !== undefined
      ? t('wallet.history.order', { method: methodName(order.method) })
      : code !== undefined
        ? t('wallet.history.code', { code })
        : t(`wallet.kind.${kind}`);
  return (
    <li className={styles.entry}>
      <span className={typography.ellipsis}>{title}</span>
      <span className={styles.entryAmount}>{format.quotaChange(entry.amount)}</span>
      <span className={`${typography.compact} ${typography.muted} ${styles.entryNote}`}>{format.dateTime(entry.created_at)}</span>
      <span className={`${typography.compact} ${typography.muted} ${styles.entryNote}`} data-end>
        {order !== undefined && t('wallet.history.paid', { money: order.money })}
      </span>
    </li>
  );
}
