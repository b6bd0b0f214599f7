import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Log, LogOther } from '#shared/logs.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import { AsOf } from '#pwa/ui/as-of.tsx';
import { Block } from '#pwa/ui/block.tsx';
import { Charge } from '#pwa/ui/charge.tsx';
import { useFormat } from '#pwa/ui/format-context.ts';
import { Icon } from '#pwa/ui/icon.tsx';
import { usePlace } from '#pwa/ui/places.ts';
import { QueryState } from '#pwa/ui/query-state.tsx';
import { StatusMark } from '#pwa/ui/status-mark.tsx';
import styles from './home-screen.module.css';
import { recentCallsQuery } from './queries.ts';

export function RecentCalls() {
  const { t } = useTranslation();
  const logs = usePlace('logs');
  const recent = useQuery(recentCallsQuery);
  const isStale = useConnection() !== 'online';
  const title = t('home.recent.title');
  return (
    <Block
      title={
        logs !== undefined ? (
          <Link className={styles.more} to={logs}>
            {title}
            <Icon name="right" />
          </Link>
        ) : (
          title
        )
      }
      aside={<AsOf at={recent.dataUpdatedAt} isStale={isStale} />}
    >
      <QueryState query={recent} what={title} lines={4}>
        {(page) =>
          page.items.length === 0 ? (
            <p className={styles.none}>{t('home.recent.none')}</p>
          ) : (
            <ul className={styles.calls}>
              {page.items.map((log) => (
                <Call key={log.id} log={log} place={logs} />
              ))}
            </ul>
          )
        }
      </QueryState>
    </Block>
  );
}

function Call({ log, place }: { log: Log; place: string | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const other = otherOf(log);
  // The same rule as in the usage logs: nothing came of it, and nothing was charged.
  const isFailed = other?.ending === 'upstream_error' && log.prompt_tokens + log.completion_tokens === 0;
  const parts = (
    <>
      <span className={styles.model}>{log.model_name}</span>
      <span className={styles.amount}>
        {isFailed && log.quota === 0 ? <span className={styles.free}>{t('home.recent.not_charged')}</span> : <Charge quota={log.quota} />}
      </span>
      <span className={styles.context}>
        {isFailed && (
          <>
            <StatusMark status="failed">{t('home.recent.failed')}</StatusMark>
            {' · '}
          </>
        )}
        {log.token_name} · {format.clock(log.created_at)}
      </span>
      <span className={styles.time}>{format.duration(other?.duration_ms ?? log.use_time * 1000)}</span>
    </>
  );
  return (
    <li>
      {place === undefined ? (
        <div className={styles.call}>{parts}</div>
      ) : (
        <Link className={styles.call} to={place} search={{ open: String(log.id) }}>
          {parts}
        </Link>
      )}
    </li>
  );
}

/** What the row knows beyond its columns; rows of other clients may have none. */
function otherOf(log: Log): LogOther | null {
  try {
    return LogOther.safeParse(JSON.parse(log.other)).data ?? null;
  } catch {
    return null;
  }
}
