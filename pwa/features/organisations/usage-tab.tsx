import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { UsagePart } from '#shared/organisations.ts';
import { heirsQuery, teamsQuery } from '#pwa/api/organisations.ts';
import { QuotaCell, ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { FilterSelect } from '#pwa/ui/list/filter-bar.tsx';
import { RangeFilter } from '#pwa/ui/list/range-filter.tsx';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import { memberName } from './member-name.ts';
import type { TabProps } from './members-tab.tsx';
import { type UsageBy, usageParts, type UsagePeriod, usagePeriods } from './organisation-search.ts';
import styles from './organisations.module.css';
import { usageQuery, usageSpan } from './queries.ts';
import { usageFile, type UsageFormat, usageFormats } from './usage-file.ts';

/** What was used in a period, by member, team, token or model. */
export function UsageTab({ organisation, search, onSearch }: TabProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { by = 'member' } = search;
  const span = usageSpan(search, Date.now());
  const { member, team } = search;
  const query = useQuery(usageQuery(organisation.id, { by, member, team, ...span }));
  const parts = query.data;
  const columns = useUsageColumns(by, parts ?? []);
  const nameOf = useNames(by);
  const sum = (key: 'calls' | 'tokens' | 'quota'): number => (parts ?? []).reduce((total, part) => total + part[key], 0);
  function handleSave(kind: UsageFormat): void {
    const text = usageFile(parts ?? [], { by, nameOf, quotaPerUnit: format.quotaPerUnit, format: kind });
    const days = [span.from, span.to ?? Math.floor(Date.now() / 1000)].flatMap((at) => (at === undefined ? [] : [format.dayKey(at)]));
    const whose = member === undefined ? [] : [`member-${member}`];
    if (team !== undefined) whose.push(`team-${team}`);
    saveText(`${[organisation.name, ...whose, by, ...days].join('-')}.${kind}`, text, {
      type: kind === 'csv' ? 'text/csv' : 'application/json',
    });
  }
  return (
    <>
      <UsageBar
        organisation={organisation}
        search={search}
        onSearch={onSearch}
        isEmpty={parts === undefined || parts.length === 0}
        onSave={handleSave}
      />
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

interface UsageBarProps extends Pick<TabProps, 'organisation' | 'search' | 'onSearch'> {
  isEmpty: boolean;
  onSave: (format: UsageFormat) => void;
}

function UsageBar({ organisation, search, onSearch, isEmpty, onSave }: UsageBarProps) {
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
      {mayInOrganisation(organisation.role ?? 'reader', 'usage') && (
        <WhoseFields organisation={organisation} search={search} onSearch={onSearch} />
      )}
      <span className={styles.space} />
      <RowMenu
        label={t('organisations.usage.export')}
        icon="download"
        width={180}
        content={() => ({
          actions: usageFormats.map((key) => ({
            key,
            label: t(`organisations.usage.${key}`),
            isDisabled: isEmpty,
            onClick: () => onSave(key),
          })),
        })}
      />
    </div>
  );
}

/** Restricts the usage to that of a member or a team. */
function WhoseFields({ organisation: { id }, search, onSearch }: Pick<TabProps, 'organisation' | 'search' | 'onSearch'>) {
  const { t } = useTranslation();
  const members = useQuery(heirsQuery(id)).data?.items ?? [];
  const teams = useQuery(teamsQuery(id)).data ?? [];
  const idOf = (value: string): number | undefined => (value === '' ? undefined : Number(value));
  return (
    <>
      {teams.length > 0 && (
        <FilterSelect
          label={t('organisations.usage.team')}
          value={String(search.team ?? '')}
          options={teams.map((team) => ({ value: String(team.id), label: team.name }))}
          onChange={(value) => onSearch({ team: idOf(value) })}
        />
      )}
      <FilterSelect
        label={t('organisations.usage.member')}
        value={String(search.member ?? '')}
        options={[
          ...members.map((member) => ({ value: String(member.user_id), label: memberName(member) })),
          { value: '0', label: t('organisations.service') },
        ]}
        onChange={(value) => onSearch({ member: idOf(value) })}
      />
    </>
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
