import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { OperatorTodo } from '#shared/dashboard.ts';
import { otherOf } from '#shared/log-other.ts';
import { LogType } from '#shared/logs.ts';
import { Role } from '#shared/roles.ts';
import { todoQuery } from '#pwa/api/operator-todo.ts';
import { channelSummaryQuery } from '#pwa/api/disabled-channels.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useConnection } from '#pwa/offline/online-status.tsx';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useLogSentence, useRefusalSentence } from '#pwa/ui/billing/log-sentence.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { AsOf } from '#pwa/ui/frame/as-of.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { QueryState, useAwaited } from '#pwa/ui/frame/query-state.tsx';
import { RowsShape } from '#pwa/ui/frame/shapes.tsx';
import { Following, Together } from '#pwa/ui/frame/together.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { Balance } from './balance-block.tsx';
import styles from './home-screen.module.css';
import { DashboardLink, SpendBlock } from './month-block.tsx';
import { DriftLines } from './drift-lines.tsx';
import { lastRowsQuery } from './queries.ts';
import { RecentCalls } from './recent-calls.tsx';
import { TodayBlock, Start } from './today-block.tsx';
import { TodoLine } from './todo-line.tsx';
import { UnpricedLine } from './unpriced-line.tsx';
import { moreDisabled, moreFailing, TroubledChannels } from './troubled-channels.tsx';

/** Does anything need a hand, what did today cost, who and what for. */
export function OperatorHome() {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  return (
    <Together what={t('home.title')}>
      <ChannelAlarm />
      <div className={styles.home} data-operator>
        <div className={styles.column}>
          <TodayBlock isForAll />
          <div className={styles.pair}>
            <SpendBlock title={t('home.today.models')} by="model" isForAll more={<DashboardLink span="day" />} />
            <SpendBlock
              title={t('home.today.users')}
              by="user"
              isForAll
              more={
                <Link className={styles.link} to="/user" search={{}}>
                  {t('home.today.all_users')}
                </Link>
              }
            />
          </div>
        </div>
        <div className={styles.column}>
          {/* Above all else on a phone; at a desk it is filled with the blocks below it, which would move otherwise. */}
          {isPhone && <NeedsHand />}
          <Following>
            {!isPhone && <NeedsHand />}
            <RefusalBlock />
            <ChangesBlock />
            <Balance />
            <RecentCalls />
            <div className={styles.own}>
              <Start />
            </div>
          </Following>
        </div>
      </div>
    </Together>
  );
}

/** Beyond those that are listed below. */
function ChannelAlarm() {
  const { t } = useTranslation();
  const summary = useQuery(channelSummaryQuery);
  useAwaited(summary);
  const count = summary.data?.disabled_by_system ?? 0;
  if (count === 0) return null;
  return (
    <Link to="/channel" search={{ status: 'auto' }} className={styles.alarm}>
      <StatusMark status="auto">{t('home.channels_disabled', { count })}</StatusMark>
      <Icon name="right" />
    </Link>
  );
}

function NeedsHand() {
  const { t } = useTranslation();
  const format = useFormat();
  const query = useQuery(todoQuery);
  const isStale = useConnection() !== 'online';
  const count = query.data === undefined ? 0 : todoCount(query.data);
  const title = t(query.data === undefined || count > 0 ? 'home.todo.title' : 'home.todo.calm');
  return (
    <Block
      title={
        <>
          {title} {count > 0 && <span className={styles.count}>{format.count(count)}</span>}
        </>
      }
      aside={<AsOf at={query.dataUpdatedAt} isStale={isStale} />}
    >
      <QueryState query={query} what={title} shape={<RowsShape rows={4} />}>
        {(todo) => <Todo todo={todo} />}
      </QueryState>
    </Block>
  );
}

/** Lines that the list has. */
function todoCount(todo: OperatorTodo): number {
  return [
    todo.is_stuck,
    todo.enabled_channels === 0,
    todo.lacks_address,
    todo.untrusted_proxy !== undefined,
    ...(todo.failing ?? []),
    moreFailing(todo) > 0,
    ...todo.channels,
    moreDisabled(todo) > 0,
    todo.low_users.length > 0,
    todo.unpriced.length > 0,
    ...(todo.drifts ?? []),
    todo.prices?.has_failed === true,
    (todo.prices?.changed ?? 0) > 0,
    (todo.prices?.reviews ?? 0) > 0,
  ].filter(Boolean).length;
}

function Todo({ todo }: { todo: OperatorTodo }) {
  const { t } = useTranslation();
  const maySetPrices = useStoredUser()?.role === Role.root;
  const format = useFormat();
  if (todoCount(todo) === 0)
    return (
      <ul className={`${layout.stackSm} ${styles.calm}`}>
        {[
          t('home.todo.calm_channels', { count: todo.enabled_channels ?? 0 }),
          t('home.todo.calm_users'),
          t('home.todo.calm_prices'),
          t('home.todo.calm_settled', { time: format.clock(todo.at) }),
        ].map((line) => (
          <li key={line}>
            <StatusMark status="on">{line}</StatusMark>
          </li>
        ))}
      </ul>
    );
  return (
    <ul className={styles.todo}>
      {todo.is_stuck && <TodoLine status="auto" what={t('home.todo.stuck')} why={t('home.todo.stuck_why')} to="/log" search={{}} />}
      {todo.enabled_channels === 0 && (
        <TodoLine status="auto" what={t('home.todo.no_channels')} why={t('home.todo.no_channels_why')} to="/channel" search={{}} />
      )}
      <TroubledChannels todo={todo} />
      {todo.lacks_address && (
        <TodoLine
          status="look"
          what={t('home.todo.no_address')}
          why={t('home.todo.no_address_why')}
          to="/setting"
          search={{ field: 'ServerAddress' }}
        />
      )}
      {todo.untrusted_proxy !== undefined && <ProxyLine address={todo.untrusted_proxy} />}
      {todo.low_users.length > 0 && (
        <TodoLine
          status="look"
          what={t('home.todo.low_users', { count: todo.low_user_count ?? todo.low_users.length })}
          why={lowUsersText(todo, format)}
          to="/user"
          // Of several, those with the least come first.
          search={todo.low_users.length === 1 ? { keyword: todo.low_users[0]?.username } : { sort: 'balance', order: 'up' }}
        />
      )}
      <DriftLines drifts={todo.drifts ?? []} maySetPrices={maySetPrices} />
      <PriceLines prices={todo.prices} />
      {todo.unpriced.length > 0 && <UnpricedLine todo={todo} maySetPrices={maySetPrices} />}
    </ul>
  );
}

function PriceLines({ prices }: Pick<OperatorTodo, 'prices'>) {
  const { t } = useTranslation();
  if (prices === undefined) return null;
  const { reviews, changed, has_failed: hasFailed } = prices;
  const to = { to: '/price-updates', search: {} } as const;
  return (
    <>
      {hasFailed && <TodoLine status="look" what={t('home.todo.price_sync')} why={t('home.todo.price_sync_why')} {...to} />}
      {changed > 0 && (
        <TodoLine status="look" what={t('home.todo.price_plans', { count: changed })} why={t('home.todo.price_plans_why')} {...to} />
      )}
      {reviews > 0 && (
        <TodoLine status="note" what={t('home.todo.price_reviews', { count: reviews })} why={t('home.todo.price_reviews_why')} {...to} />
      )}
    </>
  );
}

function ProxyLine({ address }: { address: string }) {
  const { t } = useTranslation();
  const line = `TRUSTED_PROXIES=${address}`;
  return <TodoLine status="look" what={t('home.todo.proxy', { address })} why={t('home.todo.proxy_why', { line })} to="/log" search={{}} />;
}

/** The first names, with what they have left. */
function lowUsersText({ low_users: users, low_user_count: count = users.length }: OperatorTodo, format: Format): string {
  return [...users.map(({ username, quota }) => `${username} ${format.quota(quota)}`), ...(count > users.length ? ['…'] : [])].join(' · ');
}

/** Why calls were refused, with the token and how often. */
function RefusalBlock() {
  const { t } = useTranslation();
  const format = useFormat();
  const reason = useRefusalSentence();
  const query = useQuery(todoQuery);
  const isStale = useConnection() !== 'online';
  return (
    <Block
      title={t('home.refusals.title')}
      aside={
        <span className={`${typography.note} ${styles.aside}`}>
          <AsOf at={query.dataUpdatedAt} isStale={isStale} />
          <AllLink search={{ result: 'refused', range: 'week' }} />
        </span>
      }
    >
      <QueryState query={query} what={t('home.refusals.title')} shape={<RowsShape rows={2} />}>
        {({ refusals = [] }) =>
          refusals.length === 0 ? (
            <p className={styles.none}>{t('home.refusals.none')}</p>
          ) : (
            <ul className={styles.rows}>
              {refusals.map((group) => (
                <LogRow key={group.log_id} id={group.log_id} at={group.last_at} who={group.username} count={format.count(group.count)}>
                  {group.token_name !== '' && `${group.token_name} · `}
                  {group.count > 1 ? t('home.refusals.last', { reason: reason(group) }) : reason(group)}
                </LogRow>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Block>
  );
}

/** The last changes: who changed what. */
function ChangesBlock() {
  const { t } = useTranslation();
  const query = useQuery(lastRowsQuery(LogType.management));
  const sentence = useLogSentence(query.data?.items ?? []);
  const isStale = useConnection() !== 'online';
  return (
    <Block
      title={t('home.changes.title')}
      aside={
        <span className={`${typography.note} ${styles.aside}`}>
          <AsOf at={query.dataUpdatedAt} isStale={isStale} />
          <AllLink search={{ type: LogType.management, range: 'week' }} />
        </span>
      }
    >
      <QueryState query={query} what={t('home.changes.title')} shape={<RowsShape rows={3} isTall />}>
        {(page) =>
          page.items.length === 0 ? (
            <p className={styles.none}>{t('home.changes.none')}</p>
          ) : (
            <ul className={styles.rows}>
              {page.items.map((log) => {
                // A row belongs to the account that was changed; who did it stands within.
                const who = otherOf(log)?.admin_info?.by ?? log.username;
                const sentenceText = sentence(log, { withoutActor: true });
                return (
                  <LogRow key={log.id} id={log.id} at={log.created_at} who={who}>
                    {who !== log.username && `${log.username} · `}
                    <span aria-busy={sentenceText === undefined}>{sentenceText}</span>
                  </LogRow>
                );
              })}
            </ul>
          )
        }
      </QueryState>
    </Block>
  );
}

function AllLink({ search }: { search: LinkProps['search'] }) {
  const { t } = useTranslation();
  return (
    <Link className={styles.link} to="/log" search={search}>
      {t('home.refusals.all')}
    </Link>
  );
}

interface LogRowProps {
  id: number;
  /** Unix seconds. */
  at: number;
  who: string;
  count?: string;
  children: ReactNode;
}

/** A row of the log in a line: when, who, what, and how often. */
function LogRow({ id, at, who, count, children }: LogRowProps) {
  const format = useFormat();
  const isToday = format.dayKey(at) === format.dayKey(Date.now() / 1000);
  return (
    <li>
      <Link className={`${typography.compact} ${styles.row}`} to="/log" search={{ open: String(id), range: 'week' }}>
        <span className={typography.muted}>{isToday ? format.clock(at) : format.dayKey(at).slice(5)}</span>
        <span className={styles.rowText}>
          {who} <span className={typography.muted}>{children}</span>
        </span>
        {count !== undefined && <span>{count}</span>}
      </Link>
    </li>
  );
}
