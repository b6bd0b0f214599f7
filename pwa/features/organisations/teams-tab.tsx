import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { teamsQuery } from '#pwa/api/organisations.ts';
import { type Organisation, Team } from '#shared/organisations.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { budgetsOf, ratesOf } from '#pwa/records/limits/limit-drafts.ts';
import { useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { NewRecordsPanel } from '#pwa/records/new-records-panel.tsx';
import { type OpenRecordWays, type RecordComparison, RecordPanel } from '#pwa/records/record-panel.tsx';
import { useEditedRecord } from '#pwa/records/use-edited-record.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { QuotaCell, ShortCount } from '#pwa/ui/billing/amounts.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import type { Column } from '#pwa/ui/list/columns.tsx';
import { DataList } from '#pwa/ui/list/data-list.tsx';
import { useListScreen, useOpenRecord } from '#pwa/ui/list/use-list-screen.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { BudgetCell } from './budget-cell.tsx';
import { BothLimits } from './both-limits.tsx';
import { MonthStanding } from './month-standing.tsx';
import type { TabProps } from './members-tab.tsx';
import { limitProblems, policyOf, teamBody, type TeamValues, teamValues } from './member-values.ts';
import styles from './organisations.module.css';
import { PolicyFields } from './policy-fields.tsx';
import { useCreateTeam, useEditTeam, useRemoveTeam } from './queries.ts';
import { UsageLinks } from './usage-links.tsx';

const newTeam = 'new';
const teamId = ({ id }: Team): number => id;

/** Teams with their budgets and policies. */
export function TeamsTab({ organisation, search, onSearch, manages }: TabProps) {
  const { t } = useTranslation();
  const screen = useListScreen({ search, onSearch });
  const query = useQuery(teamsQuery(organisation.id));
  const columns = useTeamColumns();
  return (
    <DataList
      query={query}
      rows={query.data}
      isTwoLine
      label={t('organisations.tab.teams')}
      columns={columns}
      rowKey={teamId}
      rowName={({ name }) => name}
      open={search.open}
      onOpen={screen.onOpen}
      empty={{
        title: t('organisations.team.none'),
        text: t('organisations.team.none_text'),
        ...(manages ? { action: <NewTeamButton onSearch={onSearch} /> } : {}),
      }}
    />
  );
}

export function NewTeamButton({ onSearch }: Pick<TabProps, 'onSearch'>) {
  const { t } = useTranslation();
  return <OnlineButton icon={<Icon name="plus" />} onClick={() => onSearch({ open: newTeam })} label={t('organisations.team.create')} />;
}

/** The panel of the team that is open, or of a new one. */
export function TeamPart({ organisation, search, onSearch, manages }: TabProps) {
  const screen = useListScreen({ search, onSearch });
  const teams = useQuery(teamsQuery(organisation.id)).data;
  const { row: opened, ...ways } = useOpenRecord(screen, { rows: teams, rowKey: teamId });
  const handleClose = (): void => onSearch({ open: undefined, part: undefined });
  if (search.open === newTeam && manages) return <NewTeamPanel organisation={organisation.id} onClose={handleClose} />;
  if (opened === undefined) return null;
  return <TeamPanel organisation={organisation} team={opened} manages={manages} onSearch={onSearch} {...ways} onClose={handleClose} />;
}

const empty: TeamValues = teamValues({ name: '', policy: {}, budgets: [], rate_limits: [] });

function NewTeamPanel({ organisation, onClose }: { organisation: number; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm<TeamValues>({ initialValues: empty, validate: useTeamProblems() });
  return (
    <NewRecordsPanel
      formId="new-team"
      title={t('organisations.team.new')}
      label={t('organisations.team.create')}
      form={form}
      create={useCreateTeam(organisation)}
      bodyOf={({ name, policy, budgets, rate_limits: rates }: TeamValues) => ({
        name: name.trim(),
        policy: policyOf(policy),
        budgets: budgetsOf(budgets),
        rate_limits: ratesOf(rates),
      })}
      onMade={onClose}
      onClose={onClose}
    >
      <TeamFields form={form} />
      <Fold title={t('limits.part.limits')} aside={form.values.budgets.length + form.values.rate_limits.length || t('limits.none')}>
        {() => <BothLimits form={form} before={nothing} />}
      </Fold>
    </NewRecordsPanel>
  );
}

const nothing = {};

function useTeamProblems() {
  const { t } = useTranslation();
  return (values: TeamValues): Record<string, string> => ({
    ...(values.name.trim() === '' ? { name: t('organisations.problem.name_required') } : {}),
    ...Object.fromEntries(limitProblems(values).map((field) => [field, t('organisations.problem.limits')])),
  });
}

interface TeamFieldsProps {
  form: Pick<ReturnType<typeof useForm<TeamValues>>, 'values' | 'errors' | 'setFieldValue' | 'getInputProps'>;
}

function TeamFields({ form }: TeamFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput label={t('organisations.field.name')} maxLength={60} autoComplete="off" {...form.getInputProps('name')} />
      <PolicyFields
        value={form.values.policy}
        error={form.errors['policy.addresses']}
        onChange={(policy) => form.setFieldValue('policy', policy)}
      />
    </>
  );
}

interface TeamPanelProps extends Omit<OpenRecordWays, 'onRemove'>, Pick<TabProps, 'onSearch'> {
  organisation: Organisation;
  team: Team;
  manages: boolean;
}

function TeamPanel({ organisation, team, manages, onSearch, ...ways }: TeamPanelProps) {
  const { t } = useTranslation();
  const [isRemoving, setRemoving] = useState(false);
  const remove = useRemoveTeam(organisation.id);
  const edited = useEditedRecord(team, {
    valuesOf: teamValues,
    problems: useTeamProblems(),
    edit: useEditTeam(organisation.id),
    schema: Team,
    bodyOf: teamBody,
  });
  return (
    <>
      <RecordPanel
        {...ways}
        onRemove={() => setRemoving(true)}
        formId="team"
        edited={edited}
        comparison={useTeamComparison()}
        standing={<TeamStanding organisation={organisation} team={team} onSearch={onSearch} />}
        history={`organisation:${organisation.id}`}
        heading={t('organisations.team.edit')}
        isReadOnly={!manages}
        isManaged={!manages}
        limits={manages ? <BothLimits form={edited.form} before={team} of={{ organisation: organisation.id, team: team.id }} /> : undefined}
        toggle={undefined}
      >
        <TeamFields form={edited.form} />
      </RecordPanel>
      {isRemoving && (
        <ConfirmDialog
          opened
          isDanger
          title={t('organisations.team.remove_title', { name: team.name })}
          text={t('organisations.team.remove_text')}
          confirmLabel={t('common.action.delete')}
          onConfirm={async () => {
            try {
              await remove.mutateAsync(team.id);
              ways.onClose();
            } catch (error) {
              toastFailure(failureOf(error));
              setRemoving(false);
            }
          }}
          onCancel={() => setRemoving(false)}
        />
      )}
    </>
  );
}

function TeamStanding({ organisation, team, onSearch }: Pick<TeamPanelProps, 'organisation' | 'team' | 'onSearch'>) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className={layout.stackMd}>
      <MonthStanding name={team.name} of={team} />
      <SummaryList
        items={[
          { name: t('organisations.column.members'), value: format.count(team.members) },
          { name: t('organisations.column.tokens'), value: format.count(team.tokens) },
          ...(team.used_quota === undefined ? [] : [{ name: t('organisations.column.spent'), value: format.quota(team.used_quota) }]),
        ]}
      />
      <UsageLinks organisation={organisation} of={{ team: team.id }} onSearch={onSearch} />
    </div>
  );
}

const fields = ['name', 'policy', 'budgets', 'rate_limits'] as const;
type TeamField = (typeof fields)[number];

function useTeamComparison(): RecordComparison<Team, TeamField> {
  const { t } = useTranslation();
  const words = useLimitWords();
  const text = (team: Team): Record<TeamField, string> => ({
    name: team.name,
    policy: policyText(t, team.policy),
    budgets: words.budgets(team.budgets),
    rate_limits: words.rates(team.rate_limits),
  });
  return {
    changesBetween: (before, theirs) => fields.filter((field) => text(before)[field] !== text(theirs)[field]),
    nameOf: (field) => t(`organisations.field.${field}`),
    show: (field, team) => text(team)[field],
  };
}

/** `gpt-4o, o3-mini · 10.0.0.0/8 · stores nothing` */
export function policyText(
  t: TFunction,
  { models = [], groups = [], addresses = [], stores_nothing: storesNothing = false }: Team['policy'],
): string {
  const parts = [models.join(', '), groups.join(', '), addresses.join(', '), storesNothing ? t('organisations.policy.stores_nothing') : ''];
  return parts.filter((part) => part !== '').join(' · ') || t('organisations.policy.none');
}

function useTeamColumns(): Column<Team>[] {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(() => teamColumns(t, format), [t, format]);
}

function teamColumns(t: TFunction, format: Format): Column<Team>[] {
  const withUnit = (heading: string): string => (format.unit === '' ? heading : `${heading} ${format.unit}`);
  return [
    {
      key: 'name',
      heading: t('organisations.column.team'),
      cell: ({ name, policy }) => (
        <span className={styles.two}>
          <b>{name}</b>
          <small className={`${typography.muted} ${typography.ellipsis}`}>{policyText(t, policy)}</small>
        </span>
      ),
      least: 180,
      card: 'title',
      isLocked: true,
    },
    { key: 'members', heading: t('organisations.column.members'), cell: ({ members }) => format.count(members), width: 80, align: 'end' },
    {
      key: 'budget',
      heading: withUnit(t('organisations.column.budget')),
      cell: (team) => <BudgetCell name={team.name} of={team} />,
      width: 280,
      align: 'end',
      card: 'note',
    },
    {
      key: 'calls',
      heading: t('organisations.column.calls'),
      cell: ({ calls }) => (calls === undefined ? '' : <ShortCount count={calls} />),
      width: 84,
      align: 'end',
      leave: 3,
    },
    {
      key: 'tokens',
      heading: t('organisations.column.tokens'),
      cell: ({ tokens }) => format.count(tokens),
      width: 76,
      align: 'end',
      leave: 4,
    },
    {
      key: 'used',
      heading: withUnit(t('organisations.column.spent')),
      cell: ({ used_quota: used }) => (used === undefined ? '' : <QuotaCell quota={used} />),
      width: 100,
      align: 'end',
      card: 'amount',
    },
  ];
}
