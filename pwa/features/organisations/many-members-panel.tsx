import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { OrganisationRole } from '#shared/organisation-roles.ts';
import type { Member, Organisation, Team } from '#shared/organisations.ts';
import { budgetsOf, ratesOf } from '#pwa/records/limits/limit-drafts.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { BothLimits } from './both-limits.tsx';
import { limitProblems, type LimitValues } from './member-values.ts';
import { memberName } from './member-name.ts';
import { refusalOf, useEditMembers } from './queries.ts';
import { RoleSelect, TeamSelect } from './role-team-fields.tsx';

interface ManyMembersPanelProps {
  organisation: Organisation;
  members: readonly Member[];
  teams: readonly Team[];
  onClose: () => void;
  onDone: () => void;
}

interface ManyValues extends LimitValues {
  role: OrganisationRole | '';
  team_id: number | undefined;
  setsLimits: boolean;
}

const formId = 'many-members';

/** The same change of several members: what is left alone stays as each has it. */
export function ManyMembersPanel({ organisation, members, teams, onClose, onDone }: ManyMembersPanelProps) {
  const { t } = useTranslation();
  const edit = useEditMembers(organisation.id);
  const form = useForm<ManyValues>({
    initialValues: { role: '', team_id: undefined, setsLimits: false, budgets: [], rate_limits: [] },
    validate: (values) =>
      values.setsLimits ? Object.fromEntries(limitProblems(values).map((field) => [field, t('organisations.problem.limits')])) : {},
  });
  const { role, team_id: team, setsLimits, budgets, rate_limits: rates } = form.values;
  const isDirty = role !== '' || team !== undefined || setsLimits;
  const submit = form.onSubmit(() =>
    edit.mutate(
      {
        user_ids: members.map(({ user_id: id }) => id),
        ...(role === '' ? {} : { role }),
        ...(team === undefined ? {} : { team_id: team }),
        ...(setsLimits ? { budgets: budgetsOf(budgets), rate_limits: ratesOf(rates) } : {}),
      },
      {
        onSuccess: () => {
          toastSuccess(t('organisations.many.done', { count: members.length }));
          onDone();
        },
      },
    ),
  );
  return (
    <SidePanel
      title={t('organisations.many.title', { count: members.length })}
      takesFocus
      isTall
      onClose={onClose}
      onSave={() => submit()}
      foot={
        <>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          <OnlineButton
            variant="filled"
            type="submit"
            form={formId}
            disabled={!isDirty}
            loading={edit.isPending}
            label={t('organisations.many.save', { count: members.length })}
          />
        </>
      }
    >
      <form id={formId} className={layout.stackLg} noValidate onSubmit={submit}>
        <p className={typography.note}>{members.map(memberName).join(', ')}</p>
        <ManyFields form={form} actor={organisation.role ?? 'reader'} teams={teams} />
        <Refusal text={refusalOf(edit.error)} />
      </form>
      <UnsavedEdits when={isDirty} />
    </SidePanel>
  );
}

const nothing = {};

interface ManyFieldsProps {
  form: Pick<ReturnType<typeof useForm<ManyValues>>, 'values' | 'errors' | 'setFieldValue'>;
  actor: OrganisationRole;
  teams: readonly Team[];
}

function ManyFields({ form, actor, teams }: ManyFieldsProps) {
  const { t } = useTranslation();
  const { role, team_id: team, setsLimits } = form.values;
  return (
    <>
      <RoleSelect
        actor={actor}
        value={role}
        none={t('organisations.many.keep')}
        onChange={(chosen) => form.setFieldValue('role', chosen)}
      />
      <TeamSelect
        teams={teams}
        value={team}
        none={t('organisations.many.keep')}
        onChange={(chosen) => form.setFieldValue('team_id', chosen)}
      />
      <SwitchRow
        label={t('organisations.many.limits')}
        description={t('organisations.many.limits_hint')}
        checked={setsLimits}
        onChange={(event) => form.setFieldValue('setsLimits', event.currentTarget.checked)}
      />
      {setsLimits && <BothLimits form={form} before={nothing} />}
    </>
  );
}
