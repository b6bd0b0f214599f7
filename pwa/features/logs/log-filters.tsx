import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Log, LogType } from '#shared/logs.ts';
import { useNeedsConnection } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { useIsPhone, useIsTouched } from '#pwa/ui/frame/breakpoint.ts';
import { type ChosenColumns, ColumnPicker } from '#pwa/ui/list/columns.tsx';
import { CustomRange } from '#pwa/ui/list/custom-range.tsx';
import { Disclosure } from '#pwa/ui/controls/disclosure.tsx';
import { FilterBar, FilterSelect, FilterText } from '#pwa/ui/list/filter-bar.tsx';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { logGroupsQuery } from './queries.ts';
import { defaultRange, type LogSearch, ranges, results } from './log-address.ts';
import { countFilters, filtersOf, noFilters } from './log-search.ts';
import styles from './logs.module.css';

interface LogFiltersProps {
  search: LogSearch;
  isAdmin: boolean;
  chosen: ChosenColumns<Log>;
  /** A panel beside the list leaves less room. */
  isTight: boolean;
  /** Whatever narrows the list begins at its first page again. */
  onChange: (change: Partial<LogSearch>) => void;
  onExport: () => Promise<void>;
}

const types = [
  { value: '2', name: 'consumption' },
  { value: '1', name: 'top_up' },
  { value: '3', name: 'management' },
  { value: '4', name: 'system' },
  { value: '5', name: 'refusal' },
] as const;

export function LogFilterBar({ search, isAdmin, chosen, isTight, onChange, onExport }: LogFiltersProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  // Behind the one button there is room for all of them.
  const showsAll = useIsTouched();
  const isOnline = useIsOnline();
  const needs = useNeedsConnection();
  const [isExporting, setExporting] = useState(false);
  const groups = useQuery(logGroupsQuery(isAdmin));
  const { range = defaultRange } = search;
  // What is seldom needed stays behind one button at a desk until it is set.
  const token = (
    <FilterText
      key="token"
      label={t('logs.filter.token')}
      value={search.token ?? ''}
      onChange={(text) => onChange({ token: textOf(text) })}
    />
  );
  const model = (
    <FilterText
      key="model"
      label={t('logs.filter.model')}
      value={search.model ?? ''}
      onChange={(text) => onChange({ model: textOf(text) })}
    />
  );
  const type = (
    <FilterSelect
      key="type"
      label={t('logs.filter.type')}
      value={search.type === undefined ? '' : String(search.type)}
      options={types
        // A result as well, and chosen there; old addresses keep it.
        .filter(({ value }) => value !== String(LogType.refusal) || search.type === LogType.refusal)
        .map(({ value, name }) => ({ value, label: t(`logs.type.${name}`) }))}
      onChange={(next) => onChange({ type: next === '' ? undefined : Number(next) })}
    />
  );
  const common = [
    { key: 'type', isSet: search.type !== undefined, field: type },
    { key: 'token', isSet: search.token !== undefined, field: token },
    { key: 'model', isSet: search.model !== undefined, field: model },
  ];
  const rare = [
    {
      key: 'request',
      isSet: search.request !== undefined,
      field: (
        <FilterText
          key="request"
          label={t('logs.filter.request')}
          value={search.request ?? ''}
          onChange={(request) => onChange({ request: textOf(request.trim()) })}
        />
      ),
    },
    // One line stays one line: the rows under it do not move when a record is opened.
    ...(isTight ? common : []),
    {
      key: 'group',
      isSet: search.group !== undefined,
      field: (
        <FilterSelect
          key="group"
          label={t('logs.filter.group')}
          value={search.group ?? ''}
          options={withOwn(groups.data ?? [], search.group).map((name) => ({ value: name, label: name }))}
          onChange={(group) => onChange({ group: textOf(group) })}
        />
      ),
    },
    ...(isAdmin
      ? [
          {
            key: 'user',
            isSet: search.user !== undefined,
            field: (
              <FilterText
                key="user"
                label={t('logs.filter.user')}
                value={search.user ?? ''}
                onChange={(user) => onChange({ user: textOf(user) })}
              />
            ),
          },
          {
            key: 'channel',
            isSet: search.channel !== undefined,
            field: (
              <FilterText
                key="channel"
                label={t('logs.filter.channel')}
                inputMode="numeric"
                value={search.channel === undefined ? '' : String(search.channel)}
                onChange={(channel) => onChange({ channel: /^\d{1,9}$/.test(channel) ? Number(channel) : undefined })}
              />
            ),
          },
        ]
      : []),
  ];

  async function handleExport(): Promise<void> {
    setExporting(true);
    await onExport().finally(() => setExporting(false));
  }

  return (
    <FilterBar
      count={countFilters(filtersOf(search, isAdmin))}
      onClear={() => onChange(noFilters)}
      presets={
        <>
          <Segments
            label={t('logs.filter.range')}
            value={range}
            options={ranges.map((name) => ({ value: name, label: t(`logs.range.${name}`) }))}
            onChange={(next) => onChange({ range: next === defaultRange ? undefined : next })}
          />
          {range === 'custom' && (
            <CustomRange
              from={search.from}
              to={search.to}
              labels={{ from: t('logs.filter.from'), to: t('logs.filter.to') }}
              onChange={onChange}
            />
          )}
        </>
      }
      tools={
        <>
          {!isPhone && <ColumnPicker chosen={chosen} />}
          <ActionIcon
            aria-label={needs(t('logs.export.action'))}
            title={t('logs.export.action')}
            loading={isExporting}
            disabled={!isOnline}
            onClick={() => void handleExport()}
          >
            <Icon name="download" />
          </ActionIcon>
        </>
      }
    >
      {!isTight && type}
      <FilterSelect
        label={t('logs.filter.result')}
        value={search.result ?? ''}
        options={results.map((value) => ({ value, label: t(`logs.result.${value}`) }))}
        onChange={(result) => onChange({ result: results.find((one) => one === result) })}
      />
      {!isTight && token}
      {!isTight && model}
      {showsAll ? rare.map(({ field }) => field) : rare.filter(({ isSet }) => isSet).map(({ field }) => field)}
      {!showsAll && rare.some(({ isSet }) => !isSet) && (
        <Disclosure
          button={(attributes) => (
            <Button variant="subtle" leftSection={<Icon name="plus" />} {...attributes}>
              {t('logs.filter.more')}
            </Button>
          )}
        >
          {() => <div className={styles.rare}>{rare.filter(({ isSet }) => !isSet).map(({ field }) => field)}</div>}
        </Disclosure>
      )}
    </FilterBar>
  );
}

function textOf(value: string): string | undefined {
  return value === '' ? undefined : value;
}

/** A group that is filtered by stays choosable, also when it is gone. */
function withOwn(groups: readonly string[], own: string | undefined): string[] {
  return own === undefined || groups.includes(own) ? [...groups] : [own, ...groups];
}
