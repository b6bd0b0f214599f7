import { useTranslation } from 'react-i18next';
import { z } from 'zod/mini';
import { mayChangeRole } from '#shared/organisation-roles.ts';
import { Member, type Organisation, type Team } from '#shared/organisations.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OwnLimits } from '#pwa/records/limits/own-limits.tsx';
import { useLimitWords } from '#pwa/records/limits/use-limit-words.ts';
import { type OpenRecordWays, type RecordComparison, RecordPanel } from '#pwa/records/record-panel.tsx';
import { useEditedRecord } from '#pwa/records/use-edited-record.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import { BothLimits, useLimitedPart } from './both-limits.tsx';
import { limitProblems, memberBody, memberRecord, type MemberRecord, memberValues } from './member-values.ts';
import { memberName } from './member-name.ts';
import type { TabProps } from './members-tab.tsx';
import { MonthStanding } from './month-standing.tsx';
import { useEditMember } from './queries.ts';
import { RoleSelect, TeamSelect } from './role-team-fields.tsx';
import { UsageLinks } from './usage-links.tsx';

interface MemberPanelProps extends OpenRecordWays {
  organisation: Organisation;
  member: Member;
  teams: readonly Team[];
  isReadOnly: boolean;
  isSelf: boolean;
  onSearch: TabProps['onSearch'];
}

const MemberRecordSchema = z.extend(Member, { id: z.int(), name: z.string() });
const fields = ['role', 'team_id', 'budgets', 'rate_limits'] as const;
type MemberField = (typeof fields)[number];

/** One member: role, team, limits, and the ways to suspend and to remove. */
export function MemberPanel({ organisation, member, teams, isReadOnly, isSelf, onSearch, ...ways }: MemberPanelProps) {
  const { t } = useTranslation();
  const toggle = useEditMember(organisation.id);
  const edited = useEditedRecord(memberRecord(member), {
    valuesOf: memberValues,
    problems: (values) => Object.fromEntries(limitProblems(values).map((field) => [field, t('organisations.problem.limits')])),
    edit: useEditMember(organisation.id),
    schema: MemberRecordSchema,
    bodyOf: memberBody,
  });
  const mayEdit = !isReadOnly && mayChangeRole(organisation.role ?? 'reader', member.role);
  const suspends = !member.is_suspended;
  const part = { organisation: organisation.id, member: member.user_id };
  const limited = useLimitedPart(part);
  return (
    <RecordPanel
      {...ways}
      formId="member"
      edited={edited}
      comparison={useMemberComparison(teams)}
      standing={
        <div className={layout.stackMd}>
          {isSelf && !mayEdit && limited !== undefined ? (
            <OwnLimits owner={limited} />
          ) : (
            <MonthStanding name={memberName(member)} of={member} />
          )}
          <Standing member={member} teams={teams} />
          <UsageLinks organisation={organisation} of={{ member: member.user_id }} onSearch={onSearch} />
        </div>
      }
      history={`organisation:${organisation.id}`}
      heading={t('organisations.member.edit')}
      isReadOnly={!mayEdit}
      isManaged={!mayEdit && !isSelf}
      removeLabel={t(isSelf ? 'organisations.leave.action' : 'organisations.member.remove')}
      limits={mayEdit ? <BothLimits form={edited.form} before={member} of={part} /> : undefined}
      toggle={
        mayEdit && !isSelf
          ? {
              label: t(suspends ? 'organisations.member.suspend' : 'organisations.member.resume'),
              isPending: toggle.isPending,
              onToggle: () =>
                toggle.mutate({ id: member.user_id, is_suspended: suspends }, { onError: (error) => toastFailure(failureOf(error)) }),
            }
          : undefined
      }
    >
      <RoleSelect
        actor={organisation.role ?? 'reader'}
        from={member.role}
        value={edited.form.values.role}
        error={edited.form.errors['role']}
        onChange={(role) => role !== '' && edited.form.setFieldValue('role', role)}
      />
      <TeamSelect teams={teams} value={edited.form.values.team_id} onChange={(team) => edited.form.setFieldValue('team_id', team ?? 0)} />
    </RecordPanel>
  );
}

function Standing({ member, teams }: { member: Member; teams: readonly Team[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const team = teams.find(({ id }) => id === member.team_id)?.name ?? t('organisations.member.no_team');
  return (
    <SummaryList
      items={[
        { name: t('organisations.column.username'), value: member.username },
        ...(member.email === '' ? [] : [{ name: t('organisations.column.email'), value: member.email }]),
        { name: t('organisations.column.role'), value: t(`acting.role.${member.role}`) },
        { name: t('organisations.column.team'), value: team },
        { name: t('organisations.column.joined'), value: format.dateTime(member.joined_at) },
        { name: t('organisations.member.source'), value: t(`organisations.source.${member.source}`) },
        ...(member.invited_email === undefined ? [] : [{ name: t('organisations.member.invited_email'), value: member.invited_email }]),
        { name: t('organisations.column.tokens'), value: format.count(member.tokens) },
        ...(member.used_quota === undefined ? [] : [{ name: t('organisations.column.spent'), value: format.quota(member.used_quota) }]),
      ]}
    />
  );
}

/** Changes that others made of a member while the form was open, in words. */
function useMemberComparison(teams: readonly Team[]): RecordComparison<MemberRecord, MemberField> {
  const { t } = useTranslation();
  const words = useLimitWords();
  const text = (member: MemberRecord): Record<MemberField, string> => ({
    role: t(`acting.role.${member.role}`),
    team_id: teams.find(({ id }) => id === member.team_id)?.name ?? t('organisations.member.no_team'),
    budgets: words.budgets(member.budgets ?? []),
    rate_limits: words.rates(member.rate_limits ?? []),
  });
  return {
    changesBetween: (before, theirs) => fields.filter((field) => text(before)[field] !== text(theirs)[field]),
    nameOf: (field) => t(`organisations.field.${field}`),
    show: (field, member) => text(member)[field],
  };
}
