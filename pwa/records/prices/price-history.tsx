import { Button } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { priceSyncApi } from '#shared/price-sync.ts';
import { call } from '#pwa/api/call.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { RowsShape } from '#pwa/ui/frame/shapes.tsx';
import { ChangeLines } from '#pwa/ui/list/change-lines.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './price-history.module.css';
import { usePriceLines } from './use-price-lines.ts';

const historyQuery = (model: string) =>
  infiniteQueryOptions({
    queryKey: ['price-history', model],
    queryFn: ({ signal, pageParam }) => call(priceSyncApi.history, { query: { model, before: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });

/** Prices of a model by date: since when, by whom, from which catalogue. */
export function PriceHistory({ model, isTitled = true }: { model: string; isTitled?: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const linesOf = usePriceLines();
  const query = useInfiniteQuery(historyQuery(model));
  return (
    <section className={layout.stackSm} aria-label={t('price-lines.history.title')}>
      {isTitled && <h3 className={typography.note}>{t('price-lines.history.title')}</h3>}
      <QueryState query={query} what={t('price-lines.history.title')} shape={<RowsShape rows={3} />}>
        {({ pages }) => {
          const events = pages.flatMap((page) => page.events);
          if (events.length === 0) return <p className={typography.muted}>{t('price-lines.history.none')}</p>;
          return (
            <ol className={`${layout.stackSm} ${styles.events}`}>
              {events.map((event) => (
                <li key={event.id}>
                  <p className={`${typography.small} ${layout.row} ${layout.spread} ${styles.head}`}>
                    <span>{t('price-lines.history.since', { time: format.dateTime(event.at) })}</span>
                    <span className={styles.who}>
                      {[event.username || t('price-lines.history.job'), event.source].filter((text) => text !== undefined).join(' · ')}
                    </span>
                  </p>
                  {event.note !== undefined && <p className={typography.secondary}>{event.note}</p>}
                  <ChangeLines lines={linesOf(event.lines)} />
                </li>
              ))}
            </ol>
          );
        }}
      </QueryState>
      {query.hasNextPage && (
        <Button variant="subtle" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('price-lines.history.more')}
        </Button>
      )}
    </section>
  );
}
