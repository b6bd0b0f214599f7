import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SessionTree } from '#shared/call-sessions.ts';
import type { Log } from '#shared/logs.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { useIsPhone, useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import { useCursorPager } from '#pwa/ui/list/use-cursor-pager.ts';
import type { LogSearch } from './log-address.ts';
import { exactModel } from './log-search.ts';
import { Cached } from './session-columns.tsx';
import { programName } from './program-name.ts';
import { sessionTreeQuery } from './session-queries.ts';
import { agentKey, rowKeyOf, sessionRows } from './session-rows.ts';
import { treeColumns } from './session-tree-columns.tsx';
import { spanText } from './span-text.ts';
import styles from './sessions.module.css';

const LogPanel = lazyPart(
  () => import('./log-panel.tsx'),
  (part) => part.LogPanel,
);

interface SessionTreeProps {
  id: string;
  isAdmin: boolean;
  search: LogSearch;
  onSearch: (change: Partial<LogSearch>) => void;
}

/** Calls of a page, as the server cuts them. */
const pageCalls = 100;

/** One session: what it came to, its agents, and the calls of each. */
export function SessionTreeScreen({ id, isAdmin, search, onSearch }: SessionTreeProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  // The row of sums has no space for them.
  const isTouched = useIsTouched();
  const unit = format.inCurrency ? 'USD' : t('common.quota.name');
  const query = useQuery(sessionTreeQuery(isAdmin, id, search.after));
  const tree = query.data;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => (tree === undefined ? undefined : sessionRows(tree, folded)), [tree, folded]);
  const columns = useMemo(() => treeColumns(t, { unit, isPhone }), [t, unit, isPhone]);
  const page =
    tree === undefined ? undefined : { total: tree.calls.length, total_is_lower_bound: tree.cursor !== undefined, cursor: tree.cursor };
  const pager = useCursorPager({ search, size: pageCalls, onSearch, page });
  const inSight = rows?.flatMap((row) => (row.kind === 'call' ? [row.log] : []));
  const { row: opened, ...ways } = useOpenRecord({ open: search.open, onOpen: handleOpen }, { rows: inSight, rowKey: (log) => log.id });
  const isMissing = query.error !== null && failureOf(query.error).code === 'log_not_found';

  function handleOpen(key: string | undefined): void {
    const agent = tree?.agents?.find((one) => agentKey(one.agent) === key);
    if (agent === undefined) return onSearch({ open: key });
    const next = new Set(folded);
    if (!next.delete(agent.agent)) next.add(agent.agent);
    setFolded(next);
  }
  const toList = (): void => onSearch({ session: undefined, after: undefined, open: undefined });
  const toCalls = (change: Partial<LogSearch>): void => onSearch({ ...change, view: undefined, after: undefined, open: undefined });
  const buttons = (
    <span className={styles.actions}>
      <Button variant="subtle" leftSection={<Icon name="left" />} onClick={toList}>
        {t('sessions.all')}
      </Button>
      <Button leftSection={<Icon name="list" />} onClick={() => toCalls({ session: id, range: 'custom', from: undefined, to: undefined })}>
        {t('sessions.in_log')}
      </Button>
    </span>
  );
  return (
    <Screen
      title={t('sessions.title')}
      facts={tree !== undefined && <Facts tree={tree} unit={unit} />}
      {...(isTouched ? {} : { actions: buttons })}
      filters={
        <div className={styles.head}>
          {isTouched && buttons}
          {tree !== undefined && <About tree={tree} isAdmin={isAdmin} />}
        </div>
      }
      panelFollows
      panel={
        opened !== undefined && (
          <CallPanel
            log={opened}
            ways={ways}
            isAdmin={isAdmin}
            search={search}
            onClose={() => onSearch({ open: undefined })}
            onCalls={toCalls}
          />
        )
      }
    >
      <DataList
        label={t('sessions.title')}
        query={isMissing ? { ...query, error: null } : query}
        rows={isMissing ? [] : rows}
        columns={columns}
        rowKey={rowKeyOf}
        rowName={(row) => (row.kind === 'agent' ? row.agent.agent : row.log.model_name)}
        open={search.open}
        onOpen={handleOpen}
        empty={{ title: t(isMissing ? 'sessions.missing' : 'sessions.none_left'), text: t('sessions.none_left_text') }}
        {...(pager !== undefined && (tree?.cursor !== undefined || search.after !== undefined) ? { pager } : {})}
      />
    </Screen>
  );
}

interface CallPanelProps {
  log: Log;
  /** To the calls before and after it. */
  ways: { onPrevious: (() => void) | undefined; onNext: (() => void) | undefined };
  isAdmin: boolean;
  search: LogSearch;
  onClose: () => void;
  /** Shows calls in the log. */
  onCalls: (change: Partial<LogSearch>) => void;
}

function CallPanel({ log, ways, isAdmin, search, onClose, onCalls }: CallPanelProps) {
  return (
    <LogPanel
      log={log}
      isAdmin={isAdmin}
      search={search}
      onClose={onClose}
      {...ways}
      onAlike={({ model_name: model, token_name: token }) =>
        onCalls({ session: undefined, model: exactModel(model), token: token === '' ? undefined : token })
      }
      onFilter={onCalls}
    />
  );
}

function Facts({ tree: { session, budget }, unit }: { tree: SessionTree; unit: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const spent = session.quota - session.refunded;
  return (
    <>
      <SummaryItem label={t('logs.fact.spent')} unit={unit}>
        {format.charge(spent)}
      </SummaryItem>
      {budget > 0 && (
        <SummaryItem label={t('sessions.budget')} unit={unit}>
          {format.quotaBare(budget)}
        </SummaryItem>
      )}
      <SummaryItem label={t('logs.view.calls')}>{format.count(session.calls)}</SummaryItem>
      <SummaryItem label={t('logs.column.prompt')}>
        <ShortCount count={session.prompt_tokens} />
      </SummaryItem>
      <SummaryItem label={t('sessions.cached')}>
        <Cached row={session} />
      </SummaryItem>
      <SummaryItem label={t('logs.column.completion')}>
        <ShortCount count={session.completion_tokens} />
      </SummaryItem>
    </>
  );
}

/** User of the session and facts that are not in its sums. */
function About({ tree, isAdmin }: { tree: SessionTree; isAdmin: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { session, agents, agents_left_out: leftOut, calls_kept: kept, budget } = tree;
  const spent = session.quota - session.refunded;
  const end = sameDay(format, session) ? format.time(session.last_at) : format.dateTime(session.last_at);
  const gone = kept === null ? 0 : Math.max(0, session.calls - kept);
  return (
    <div className={styles.about}>
      <div className={styles.line}>
        {session.client !== '' && <b>{programName(session.client)}</b>}
        {isAdmin && session.username !== '' && <span>{session.username}</span>}
        {session.token_name !== '' && <span>{session.token_name}</span>}
        <span>{session.models.join(', ')}</span>
        <span>{t('sessions.from_to', { from: format.dateTime(session.first_at), to: end, span: spanText(t, session) })}</span>
        {session.errors > 0 && (
          <span className={styles.whole}>
            <StatusMark status="failed">{t('sessions.failed', { count: format.count(session.errors) })}</StatusMark>
          </span>
        )}
      </div>
      <CopyText mono text={session.session} label={t('sessions.copy_id')} />
      {budget > 0 && spent >= budget && <StatusMark status="failed">{t('sessions.budget_reached')}</StatusMark>}
      {session.refunded > 0 && <p className={styles.note}>{t('sessions.refunded', { quota: format.quota(session.refunded) })}</p>}
      {gone > 0 && <p className={styles.note}>{t('sessions.gone', { count: format.count(gone) })}</p>}
      {agents === null && <p className={styles.note}>{t('sessions.too_many')}</p>}
      {leftOut > 0 && <p className={styles.note}>{t('sessions.left_out', { count: format.count(leftOut) })}</p>}
    </div>
  );
}

function sameDay(format: ReturnType<typeof useFormat>, { first_at: first, last_at: last }: { first_at: number; last_at: number }): boolean {
  return format.dayKey(first) === format.dayKey(last);
}
