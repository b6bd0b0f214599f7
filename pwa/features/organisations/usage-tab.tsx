import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { UsagePart } from '#shared/organisations.ts';
import { QuotaCell, ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { RangeFilter } from '#pwa/ui/list/range-filter.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import type { TabProps } from './members-tab.tsx';
import { type UsageBy, usageParts, type UsagePeriod, usagePeriods } from './organisation-search.ts';
import styles from './organisations.module.css';
import { usageQuery, usageSpan } from './queries.ts';
import { usageFile } from './usage-file.ts';

/** What was used in a period, by member, team, token or model. */
export function UsageTab({ organisation, search, onSearch }: TabProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { by = 'member' } = search;
  const span = usageSpan(search, Date.now());
  const query = useQuery(usageQuery(organisation.id, { by, ...span }));
  const parts = query.data;
  const columns = useUsageColumns(by, parts ?? []);
  const nameOf = useNames(by);
  const sum = (key: 'calls' | 'tokens' | 'quota'): number => (parts ?? []).reduce((total, part) => total + part[key], 0);
  function handleSave(): void {
    const text = usageFile(parts ?? [], { by, nameOf, quotaPerUnit: format.quotaPerUnit });
    const days = [span.from, span.to ?? Math.floor(Date.now() / 1000)].flatMap((at) => (at === undefined ? [] : [format.dayKey(at)]));
    saveText(`${organisation.name}-${by}-${days.join('-')}.csv`, text, { type: 'text/csv' });
  }
  return (
    <>
      <UsageBar search={search} onSearch={onSearch} isEmpty={parts === undefined || parts.length === 0} onSave={handleSave} />
      <DataList
        query={query}
        rows={parts}
        label={t('organisations.tab.usage')}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={nameOf}
        empty={{ title: t('organisations.usage.none'), text: t('organisations.usage.none_text') }}
        {...(parts === undefined || parts.length < 2
          ? {}
          : {
              total: {
                key: 'sum',
                label: t('organisations.usage.sum'),
                sum: format.quota(sum('quota')),
                cells: {
                  calls: <ShortCount count={sum('calls')} />,
                  tokens: <ShortCount count={sum('tokens')} />,
                  quota: <QuotaCell quota={sum('quota')} />,
                },
              },
            })}
      />
    </>
  );
}

interface UsageBarProps extends Pick<TabProps, 'search' | 'onSearch'> {
  isEmpty: boolean;
  onSave: () => void;
}

function UsageBar({ search, onSearch, isEmpty, onSave }: UsageBarProps) {
  const { t } = useTranslation();
  const { by = 'member', period = 'this_month' } = search;
  return (
    <div className={styles.toolbar}>
      <Segments
        label={t('organisations.usage.by')}
        value={by}
        options={usageParts.map((value) => ({ value, label: t(`organisations.usage.${value}`) }))}
        onChange={(value: UsageBy) => onSearch({ by: value === 'member' ? undefined : value })}
      />
      <RangeFilter
        label={t('organisations.usage.period')}
        range={period}
        ranges={usagePeriods.map((value) => ({ value, label: t(`organisations.period.${value}`) }))}
        onRange={(value: UsagePeriod) => onSearch({ period: value === 'this_month' ? undefined : value, from: undefined, to: undefined })}
        from={search.from}
        to={search.to}
        labels={{ from: t('organisations.period.from'), to: t('organisations.period.to') }}
        onChange={onSearch}
      />
      <span className={styles.space} />
      <Button disabled={isEmpty} onClick={onSave}>
        {t('organisations.usage.csv')}
      </Button>
    </div>
  );
}

/** Parts without a name: service accounts, members without a team, deleted tokens. */
function useNames(by: UsageBy): (part: UsagePart) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ id, name }) => {
      if (name !== '') return name;
      if (id !== '0') return `#${id}`;
      return t(by === 'team' ? 'organisations.member.no_team' : 'organisations.service');
    },
    [t, by],
  );
}

function useUsageColumns(by: UsageBy, parts: readonly UsagePart[]): Column<UsagePart>[] {
  const { t } = useTranslation();
  const format = useFormat();
  const nameOf = useNames(by);
  const whole = parts.reduce((sum, part) => sum + part.quota, 0);
  return useMemo(() => {
    const share = ({ quota }: UsagePart): string => (whole === 0 ? '' : `${Math.round((quota / whole) * 100)}%`);
    return [
      {
        key: 'name',
        heading: t(`organisations.usage.${by}`),
        cell: (part) => (by === 'model' ? <span>{nameOf(part)}</span> : <bdi>{nameOf(part)}</bdi>),
        least: 160,
        card: 'title',
        isLocked: true,
      },
      {
        key: 'share',
        heading: t('organisations.usage.share'),
        cell: (part) => (
          <span className={styles.share}>
            <i className={styles.bar} style={{ inlineSize: whole === 0 ? 0 : `${(part.quota / whole) * 100}%` }} />
            <span className={typography.muted}>{share(part)}</span>
          </span>
        ),
        width: 220,
        leave: 1,
      },
      {
        key: 'calls',
        heading: t('organisations.column.calls'),
        cell: ({ calls }) => <ShortCount count={calls} />,
        width: 96,
        align: 'end',
      },
      {
        key: 'tokens',
        heading: t('organisations.usage.token_count'),
        cell: ({ tokens }) => <ShortCount count={tokens} />,
        width: 110,
        align: 'end',
        leave: 2,
      },
      {
        key: 'quota',
        heading: format.unit === '' ? t('organisations.usage.spent') : `${t('organisations.usage.spent')} ${format.unit}`,
        cell: ({ quota }) => <QuotaCell quota={quota} />,
        width: 120,
        align: 'end',
        card: 'amount',
      },
    ] satisfies Column<UsagePart>[];
  }, [t, format, by, nameOf, whole]);
}
