import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Ending, endingOf, isFree } from '#shared/log-ending.ts';
import { otherOf } from '#shared/log-other.ts';
import type { Log } from '#shared/logs.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { Charge } from '#pwa/ui/billing/charge.tsx';
import { endingStatus } from '#pwa/ui/billing/ending-status.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { QueryState } from '#pwa/ui/frame/query-state.tsx';
import { RowsShape } from '#pwa/ui/frame/shapes.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { tokenName } from '#pwa/ui/billing/token-name.ts';
import typography from '#pwa/ui/styles/typography.module.css';
import home from './home-screen.module.css';
import { recentCallsQuery } from './queries.ts';
import styles from './recent-calls.module.css';

/** The newest calls; `isWide`: in the wide column, where a desk has room for a table. */
export function RecentCalls({ isWide = false }: { isWide?: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const recent = useQuery(recentCallsQuery);
  const isStale = useConnection() !== 'online';
  const title = t('home.recent.title');
  const unit = format.unit === '' ? t('common.quota.name') : format.unit;
  return (
    <Block
      title={
        <Link className={styles.more} to="/log" search={{}}>
          {title}
          <Icon name="right" />
        </Link>
      }
      aside={
        <span className={`${typography.note} ${home.aside}`}>
          <AsOf at={recent.dataUpdatedAt} isStale={isStale} />
          {/* Over the amounts, which then need none. */}
          {recent.data !== undefined && recent.data.items.length > 0 && (
            <span className={styles.unit} data-wide={isWide || undefined}>
              {unit}
            </span>
          )}
        </span>
      }
    >
      <QueryState query={recent} what={title} shape={<RowsShape rows={5} isTall />}>
        {(page) =>
          page.items.length === 0 ? (
            <p className={home.none}>{t('home.recent.none')}</p>
          ) : (
            <ul className={styles.calls} data-wide={isWide || undefined}>
              <li className={styles.callHead} aria-hidden>
                <span className={styles.clock}>{t('home.recent.time')}</span>
                <span className={`${typography.ellipsis} ${styles.model}`}>{t('home.recent.model')}</span>
                <span className={styles.callToken}>{t('home.recent.token')}</span>
                <span className={`${typography.note} ${typography.ellipsis} ${styles.time}`}>{t('home.recent.duration')}</span>
                <span className={styles.amount}>{unit}</span>
              </li>
              {page.items.map((log) => (
                <Call key={log.id} log={log} />
              ))}
            </ul>
          )
        }
      </QueryState>
    </Block>
  );
}

function Call({ log }: { log: Log }) {
  const { t } = useTranslation();
  const format = useFormat();
  const ending = endingOf(log);
  const parts = (
    <>
      <span className={`${typography.ellipsis} ${styles.model}`}>{log.model_name}</span>
      <span className={styles.amount}>
        {isFree(log) ? <span className={typography.muted}>{t('home.recent.not_charged')}</span> : <Charge quota={log.quota} />}
      </span>
      <span className={`${typography.note} ${typography.ellipsis} ${styles.context}`}>
        {ending !== 'well' && (
          <span className={styles.state}>
            <StatusMark status={endingStatus[ending]}>{t(`home.recent.${wordOf(ending)}`)}</StatusMark>
            <span className={styles.between}>{' · '}</span>
          </span>
        )}
        <span className={styles.callToken}>{tokenName(log, t)}</span>
        <span className={styles.between}>{' · '}</span>
        <span className={styles.clock}>{format.clock(log.created_at)}</span>
      </span>
      <span className={`${typography.note} ${typography.ellipsis} ${styles.time}`}>
        {format.duration(otherOf(log)?.duration_ms ?? log.use_time * 1000)}
      </span>
    </>
  );
  return (
    <li>
      <Link className={styles.call} to="/log" search={{ open: String(log.id) }}>
        {parts}
      </Link>
    </li>
  );
}

/** The usage logs, a tap away, say what it was; here it is enough to know whose turn it is. */
function wordOf(ending: Ending): string {
  if (ending === 'client_left' || ending === 'client_closed') return 'left';
  return endingStatus[ending] === 'failed' ? 'failed' : 'irregular';
}
