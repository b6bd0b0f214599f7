import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { teamsQuery } from '#pwa/api/organisations.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import type { ReplyOf } from '#shared/contract.ts';
import type { OrganisationRole } from '#shared/organisation-roles.ts';
import { inviteDays, type Organisation, type organisationApi } from '#shared/organisations.ts';
import { budgetsOf, ratesOf } from '#pwa/records/limits/limit-drafts.ts';
import { MadeRecords } from '#pwa/records/new-records-panel.tsx';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { pageAddress } from '#pwa/ui/base-path.ts';
import { CopyButton, CopyIcon } from '#pwa/ui/controls/copy-text.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { TextArea } from '#pwa/ui/form/text-area.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { SidePanel } from '#pwa/ui/frame/side-panel.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { BothLimits } from './both-limits.tsx';
import { addressesIn } from './addresses-in.ts';
import { limitProblems, type LimitValues } from './member-values.ts';
import styles from './organisations.module.css';
import { refusalOf, useInvite } from './queries.ts';
import { RoleSelect, TeamSelect } from './role-team-fields.tsx';

interface InvitePanelProps {
  organisation: Organisation;
  onClose: () => void;
}

type Invited = ReplyOf<typeof organisationApi.invite>;

interface InviteValues extends LimitValues {
  text: string;
  delivery: 'mail' | 'link';
  role: OrganisationRole;
  team_id: number;
  /** Of the monthly budget of each; quota. */
  amount: number | '';
}

const formId = 'invite-members';
/** Addresses of one call. */
const most = 100;

/** Invites a list of people, with role, team and a monthly budget of each. */
export function InvitePanel(props: InvitePanelProps) {
  const [made, setMade] = useState<Invited>();
  return made === undefined ? <InviteForm {...props} onMade={setMade} /> : <Made invited={made} onClose={props.onClose} />;
}

function InviteForm({ organisation, onClose, onMade }: InvitePanelProps & { onMade: (made: Invited) => void }) {
  const { t } = useTranslation();
  const invite = useInvite(organisation.id);
  const sendsMail = useSiteStatus()?.sends_mail !== false;
  const form = useForm<InviteValues>({
    initialValues: {
      text: '',
      delivery: sendsMail ? 'mail' : 'link',
      role: 'developer',
      team_id: 0,
      amount: '',
      budgets: [],
      rate_limits: [],
    },
    validate: (values) => problemsOf(t, values),
  });
  const { values } = form;
  const { addresses } = addressesIn(values.text);
  const count = Math.max(1, addresses.length);
  const submit = form.onSubmit((sent) =>
    invite.mutate(
      {
        emails: addresses,
        delivery: sent.delivery,
        role: sent.role,
        team_id: sent.team_id,
        budgets: [...monthly(sent.amount), ...budgetsOf(sent.budgets)],
        rate_limits: ratesOf(sent.rate_limits),
      },
      { onSuccess: onMade },
    ),
  );
  return (
    <SidePanel
      title={t('organisations.invite.title')}
      takesFocus
      isTall
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          <OnlineButton
            variant="filled"
            type="submit"
            form={formId}
            loading={invite.isPending}
            label={t(`organisations.invite.by_${values.delivery}_submit`, { count })}
          />
        </>
      }
    >
      <form id={formId} className={layout.stackLg} noValidate onSubmit={submit}>
        <PeopleFields form={form} count={addresses.length} />
        <StandingFields form={form} organisation={organisation} />
        <Refusal text={refusalOf(invite.error)} />
      </form>
      <UnsavedEdits when={form.isDirty()} />
    </SidePanel>
  );
}

type InviteFormOf = Pick<ReturnType<typeof useForm<InviteValues>>, 'values' | 'errors' | 'setFieldValue' | 'getInputProps'>;

/** Who is invited, and how the invitations reach them. */
function PeopleFields({ form, count }: { form: InviteFormOf; count: number }) {
  const { t } = useTranslation();
  const { values } = form;
  return (
    <>
      <Segments
        label={t('organisations.invite.delivery')}
        value={values.delivery}
        options={(['mail', 'link'] as const).map((value) => ({ value, label: t(`organisations.invite.by_${value}`) }))}
        onChange={(value) => form.setFieldValue('delivery', value)}
      />
      <TextArea
        label={t(`organisations.invite.addresses_${values.delivery}`)}
        description={count > 0 ? t('organisations.invite.people', { count }) : t('organisations.invite.addresses_hint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        placeholder={'lin@example.com\nmaya@example.com'}
        minRows={4}
        maxRows={12}
        spellCheck={false}
        autoCapitalize="none"
        {...form.getInputProps('text')}
      />
    </>
  );
}

interface StandingFieldsProps {
  form: InviteFormOf;
  organisation: Organisation;
}

/** What each of the invited becomes. */
function StandingFields({ form, organisation }: StandingFieldsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const teams = useQuery(teamsQuery(organisation.id)).data ?? [];
  const { values, errors } = form;
  return (
    <>
      <RoleSelect
        actor={organisation.role ?? 'reader'}
        value={values.role}
        error={errors['role']}
        onChange={(role) => role !== '' && form.setFieldValue('role', role)}
      />
      {teams.length > 0 && (
        <TeamSelect teams={teams} value={values.team_id} onChange={(team) => form.setFieldValue('team_id', team ?? 0)} />
      )}
      <QuotaInput
        label={t('organisations.invite.budget')}
        description={t('organisations.invite.budget_hint')}
        placeholder={t('organisations.members.no_budget')}
        value={values.amount}
        presets={[10, 20, 50, 100].map((usd) => usd * format.quotaPerUnit)}
        onChange={(amount) => form.setFieldValue('amount', amount)}
      />
      <Fold
        title={t('organisations.invite.further')}
        aside={values.budgets.length + values.rate_limits.length || t('limits.none')}
        needsLook={errors['budgets'] !== undefined || errors['rate_limits'] !== undefined}
      >
        {() => <BothLimits form={form} before={nothing} />}
      </Fold>
    </>
  );
}

const nothing = {};

function problemsOf(t: TFunction, values: InviteValues): Record<string, string> {
  const { wrong, addresses } = addressesIn(values.text);
  return {
    ...(wrong.length > 0 ? { text: t('organisations.problem.addresses', { list: wrong.slice(0, 3).join(', ') }) } : {}),
    ...(addresses.length === 0 && values.delivery === 'mail' ? { text: t('organisations.problem.no_address') } : {}),
    ...(addresses.length > most ? { text: t('organisations.problem.many_addresses', { limit: most }) } : {}),
    ...Object.fromEntries(limitProblems(values).map((field) => [field, t('organisations.problem.limits')])),
  };
}

/** Hard, by the calendar; its id differs from those that the editor gives. */
function monthly(amount: number | '') {
  if (amount === '' || amount <= 0) return [];
  return [{ id: 'monthly', amount, period: 'month' as const, starts: 'calendar' as const, at_end: 'stop' as const }];
}

/** Links are shown here and nowhere else. */
function Made({ invited: { invites, link, links }, onClose }: { invited: Invited; onClose: () => void }) {
  const { t } = useTranslation();
  const shown = link === undefined ? (links ?? []) : [{ email: '', link }];
  const failed = invites.filter(({ mail }) => mail === 'failed');
  const address = (text: string): string => (text.startsWith('/') ? `${pageAddress()}${text}` : text);
  const mails = { count: invites.length - failed.length, days: inviteDays };
  return (
    <MadeRecords
      title={t('organisations.made.title', { count: invites.length })}
      text={shown.length > 0 ? t('organisations.made.links', { days: inviteDays }) : t('organisations.made.mails', mails)}
      actions={
        shown.length > 1 && (
          <CopyButton label={t('organisations.made.copy_all')} text={shown.map((one) => `${one.email}\t${address(one.link)}`).join('\n')} />
        )
      }
      onClose={onClose}
    >
      {shown.map((one) => (
        <li key={one.link}>
          {one.email !== '' && <b>{one.email}</b>}
          <span className={`${layout.row} ${layout.spread}`} data-autofocus>
            <code className={styles.code}>{address(one.link)}</code>
            <CopyIcon text={address(one.link)} label={t('organisations.made.copy', { name: one.email })} />
          </span>
        </li>
      ))}
      {failed.map(({ id, email }) => (
        <li key={id}>{t('organisations.made.failed', { email })}</li>
      ))}
    </MadeRecords>
  );
}
