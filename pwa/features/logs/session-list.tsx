import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { CallSession } from '#shared/call-sessions.ts';
import type { LogFormat } from '#shared/logs.ts';
import { downloadAccountFile } from '#pwa/api/account-file.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { useIsPhone } from '#pwa/ui/frame/breakpoint.ts';
import { SummaryItem } from '#pwa/ui/frame/page-header.tsx';
import { Screen } from '#pwa/ui/frame/screen.tsx';
import { type ChosenColumns, ColumnPicker, useColumns } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterBar, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import { useCursorPager } from '#pwa/ui/list/use-cursor-pager.ts';
import { useListScreen } from '#pwa/ui/list/use-list-screen.ts';
import type { LogSearch } from './log-address.ts';
import { LogRange } from './log-range.tsx';
import { sessionColumns } from './session-columns.tsx';
import { type SessionList as List, sessionExportAddress, sessionListOf, sessionsQuery } from './session-queries.ts';
import { ViewSwitch } from './view-switch.tsx';

interface SessionListProps {
  search: LogSearch;
  onSearch: (change: Partial<LogSearch>) => void;
  isAdmin: boolean;
}

/** The sessions with the newest call first. Opening one leads to its agents and calls. */
export function SessionList({ search, onSearch, isAdmin }: SessionListProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useIsPhone();
  const unit = format.inCurrency ? 'USD' : t('common.quota.name');
  const { size, page } = useListScreen({ search, onSearch });
  const list = sessionListOf(search, isAdmin);
  const query = useQuery(sessionsQuery(list, { page, size, cursor: search.after }));
  const pager = useCursorPager({ search, size, onSearch, page: query.data });
  const columns = useMemo(() => sessionColumns(t, { isAdmin, unit, isPhone }), [t, isAdmin, unit, isPhone]);
  const chosen = useColumns(columns, 'sessions-table-columns');
  const narrow = (change: Partial<LogSearch>): void => onSearch({ ...change, p: undefined, after: undefined });
  const clear = (): void => narrow({ session: undefined, token: undefined, user: undefined });
  const filtersSet = [list.session, list.token, list.user].filter((value) => value !== undefined).length;
  const today = format.dayKey(Date.now() / 1000);
  const groupOf = ({ last_at: at }: CallSession) => {
    const key = format.dayKey(at);
    return { key, label: key === today ? t('logs.day.today', { day: format.day(at) }) : format.day(at) };
  };
  const total = query.data?.total;

  return (
    <Screen
      title={t('logs.title')}
      facts={
        total !== undefined && (
          <SummaryItem label={t('logs.view.sessions')}>
            {format.count(total)}
            {query.data?.total_is_lower_bound === true && '+'}
          </SummaryItem>
        )
      }
      actions={<ViewSwitch search={search} onSearch={onSearch} />}
      filters={<SessionFilters search={search} list={list} count={filtersSet} chosen={chosen} onChange={narrow} onClear={clear} />}
    >
      <DataList
        label={t('logs.view.sessions')}
        query={query}
        rows={query.data?.items}
        columns={isPhone ? columns : chosen.shown}
        room={chosen.room}
        rowKey={(row) => row.id}
        rowName={(row) => row.session}
        group={groupOf}
        onOpen={(id) => onSearch({ session: id, p: undefined, after: undefined, open: undefined })}
        empty={{
          title: t('sessions.empty'),
          text: t('sessions.empty_text'),
          ...(search.range === 'week'
            ? {}
            : { action: <Button onClick={() => narrow({ range: 'week' })}>{t('logs.empty.show_week')}</Button> }),
        }}
        filtersSet={filtersSet}
        onClearFilters={clear}
        pager={pager}
      />
    </Screen>
  );
}

interface FiltersProps {
  search: LogSearch;
  list: List;
  count: number;
  chosen: ChosenColumns<CallSession>;
  onChange: (change: Partial<LogSearch>) => void;
  onClear: () => void;
}

function SessionFilters({ search, list, count, chosen, onChange, onClear }: FiltersProps) {
  const { t } = useTranslation();
  const whose = list.isAdmin ? 'user' : 'token';
  return (
    <FilterBar
      count={count}
      onClear={onClear}
      presets={<LogRange search={search} onChange={onChange} />}
      tools={
        <>
          <ColumnPicker chosen={chosen} />
          <SessionFiles list={list} />
        </>
      }
    >
      <FilterText
        label={t('logs.filter.session')}
        value={search.session ?? ''}
        onChange={(typed) => onChange({ session: textOf(typed) })}
      />
      <FilterText
        label={t(`logs.filter.${whose}`)}
        value={search[whose] ?? ''}
        onChange={(typed) => onChange({ [whose]: textOf(typed) })}
      />
    </FilterBar>
  );
}

/** Everything that is listed as a file. */
function SessionFiles({ list }: { list: List }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const file = (format: LogFormat) => ({
    key: format,
    label: t(`logs.export.${format}`),
    isDisabled: !isOnline,
    onClick: () => downloadAccountFile(sessionExportAddress(list, format)),
  });
  return <RowMenu label={needs(t('logs.export.menu'))} width={260} content={() => ({ actions: [file('csv'), file('jsonl')] })} />;
}

function textOf(typed: string): string | undefined {
  const text = typed.trim();
  return text === '' ? undefined : text;
}
