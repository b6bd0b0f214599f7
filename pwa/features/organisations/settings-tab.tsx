import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import type { Organisation } from '#shared/organisations.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { pageAddress } from '#pwa/ui/base-path.ts';
import { CopyText } from '#pwa/ui/controls/copy-text.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { UnsavedEdits } from '#pwa/ui/form/unsaved-edits.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { SummaryList } from '#pwa/ui/frame/side-panel.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import surface from '#pwa/ui/styles/surface.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { BothLimits } from './both-limits.tsx';
import { FundDialog } from './fund-dialog.tsx';
import type { TabProps } from './members-tab.tsx';
import { changesPolicy, limitBody, limitProblems, policyOf, type TeamValues, teamValues } from './member-values.ts';
import styles from './organisations.module.css';
import { PolicyFields } from './policy-fields.tsx';
import { refusalOf, useEditOrganisation, useEndScimToken, useRemoveOrganisation, useScimToken } from './queries.ts';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';
import { policyText } from './teams-tab.tsx';

type SettingsTabProps = TabProps & { onSwitch: (organisation: null) => void };

/** Name, policy and limits of the organisation, who joins by themselves, and its end. */
export function SettingsTab({ organisation, manages, onSwitch }: SettingsTabProps) {
  return (
    <div className={styles.settings}>
      <div className={layout.stackLg}>
        {manages ? <OrganisationForm key={organisation.id} organisation={organisation} /> : <ReadOnly organisation={organisation} />}
      </div>
      <div className={layout.stackLg}>
        <JoiningBlock organisation={organisation} />
        <EndBlock organisation={organisation} onSwitch={onSwitch} />
      </div>
    </div>
  );
}

function ReadOnly({ organisation }: { organisation: Organisation }) {
  const { t } = useTranslation();
  return (
    <Block title={t('organisations.settings.policy')}>
      <p className={styles.body}>{policyText(t, organisation.policy)}</p>
    </Block>
  );
}

const formId = 'organisation';

function organisationBody(values: TeamValues, base: Organisation) {
  return {
    ...(values.name.trim() === base.name ? {} : { name: values.name.trim() }),
    ...(changesPolicy(values.policy, base.policy) ? { policy: policyOf(values.policy) } : {}),
    ...limitBody(values, base),
  };
}

function OrganisationForm({ organisation }: { organisation: Organisation }) {
  const { t } = useTranslation();
  const [base, setBase] = useState(organisation);
  const edit = useEditOrganisation(organisation.id);
  const form = useForm<TeamValues>({
    initialValues: teamValues(base),
    validate: (values) => ({
      ...(values.name.trim() === '' ? { name: t('organisations.problem.name_required') } : {}),
      ...Object.fromEntries(limitProblems(values).map((field) => [field, t('organisations.problem.limits')])),
    }),
  });
  const { values } = form;
  const body = organisationBody(values, base);
  const isDirty = Object.keys(body).length > 0;
  const submit = form.onSubmit(() =>
    edit.mutate(
      { ...body, revision: base.revision },
      {
        onSuccess: (stored) => {
          setBase(stored);
          const next = teamValues(stored);
          form.setInitialValues(next);
          form.setValues(next);
          toastSuccess(t('organisations.settings.saved'));
        },
        onError: (error) => {
          const { field, message } = failureOf(error);
          if (field !== undefined) form.setFieldError(field, message);
        },
      },
    ),
  );
  return (
    <form id={formId} noValidate onSubmit={submit}>
      <Block title={t('organisations.settings.title')}>
        <div className={`${layout.stackLg} ${styles.body}`}>
          <TextInput label={t('organisations.field.name')} maxLength={60} autoComplete="off" {...form.getInputProps('name')} />
          <PolicyFields
            value={values.policy}
            error={form.errors['policy.addresses']}
            onChange={(policy) => form.setFieldValue('policy', policy)}
          />
        </div>
      </Block>
      <Block title={t('organisations.settings.limits')}>
        <div className={styles.body}>
          <BothLimits form={form} before={base} of={{ organisation: base.id }} />
        </div>
      </Block>
      <div className={styles.saveRow}>
        <Refusal text={refusalOf(edit.error)} />
        <OnlineButton variant="filled" type="submit" disabled={!isDirty} loading={edit.isPending} label={t('common.action.save')} />
      </div>
      <UnsavedEdits when={isDirty} />
    </form>
  );
}

/** Mail domains whose users join at their sign-in, and the token of the directory that maintains the list of members. */
function JoiningBlock({ organisation }: { organisation: Organisation }) {
  const { t } = useTranslation();
  const { id, role = 'reader' } = organisation;
  const create = useScimToken(id);
  const token = create.data?.token;
  return (
    <Block title={t('organisations.joining.title')}>
      <div className={`${layout.stackMd} ${styles.body}`}>
        <JoiningFacts organisation={organisation} />
        <p className={typography.note}>{t('organisations.joining.hint')}</p>
        {token !== undefined && <ScimToken token={token} />}
        <Refusal text={refusalOf(create.error)} />
        {mayInOrganisation(role, 'own') && <ScimActions organisation={organisation} create={create} />}
      </div>
    </Block>
  );
}

interface ScimActionsProps {
  organisation: Organisation;
  create: ReturnType<typeof useScimToken>;
}

function ScimActions({ organisation: { id, scim_since: since }, create }: ScimActionsProps) {
  const { t } = useTranslation();
  const end = useEndScimToken(id);
  const [isReplacing, setReplacing] = useState(false);
  return (
    <span className={layout.wrap}>
      <OnlineButton
        loading={create.isPending}
        onClick={() => (since === 0 ? create.mutate(undefined) : setReplacing(true))}
        label={t(since === 0 ? 'organisations.joining.create' : 'organisations.joining.replace')}
      />
      {since !== 0 && (
        <OnlineButton
          variant="subtle"
          data-danger
          loading={end.isPending}
          onClick={() => end.mutate(undefined, { onSuccess: () => create.reset() })}
          label={t('organisations.joining.end')}
        />
      )}
      <ConfirmDialog
        opened={isReplacing}
        isDanger
        title={t('organisations.joining.replace_title')}
        text={t('organisations.joining.replace_text')}
        confirmLabel={t('organisations.joining.replace')}
        onConfirm={() => {
          setReplacing(false);
          create.mutate(undefined);
        }}
        onCancel={() => setReplacing(false)}
      />
    </span>
  );
}

function JoiningFacts({ organisation }: { organisation: Organisation }) {
  const { domains, domain_role: domainRole, scim_since: since, scim_by: by = '', scim_ended: hasEnded = false } = organisation;
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <SummaryList
      items={[
        {
          name: t('organisations.column.domains'),
          value: domains.length === 0 ? t('organisations.joining.no_domains') : domains.join(', '),
        },
        ...(domains.length === 0 ? [] : [{ name: t('organisations.manage.domain_role'), value: t(`acting.role.${domainRole}`) }]),
        {
          name: 'SCIM 2.0',
          value: hasEnded
            ? t('organisations.joining.scim_ended', { by })
            : since === 0
              ? t('organisations.joining.no_scim')
              : t('organisations.joining.scim_since', { time: format.dateTime(since) }),
        },
      ]}
    />
  );
}

function ScimToken({ token }: { token: string }) {
  const { t } = useTranslation();
  return (
    <div className={`${layout.stackSm} ${surface.well} ${styles.secret}`} role="status">
      <StatusMark status="look">{t('organisations.joining.once')}</StatusMark>
      <CopyText mono text={token} label={t('organisations.joining.copy_token')} />
      <CopyText mono text={`${pageAddress()}/scim/v2`} label={t('organisations.joining.copy_address')} />
    </div>
  );
}

/** Money back, leaving, and the end of the organisation. */
function EndBlock({ organisation, onSwitch }: Pick<SettingsTabProps, 'organisation' | 'onSwitch'>) {
  const { t } = useTranslation();
  const format = useFormat();
  const user = useStoredUser();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'out' | 'leave' | 'remove'>();
  const { role = 'reader', quota = 0 } = organisation;
  const owns = mayInOrganisation(role, 'own');
  const close = (): void => setAsked(undefined);
  const handleGone = (): void => {
    onSwitch(null);
    void navigate({ to: '/organisations' });
  };
  return (
    <Block title={t('organisations.end.title')}>
      <ul className={styles.ends}>
        {owns && (
          <li>
            <span>{t('organisations.end.out_text', { amount: format.quota(quota) })}</span>
            <OnlineButton disabled={quota <= 0} onClick={() => setAsked('out')} label={t('organisations.end.out')} />
          </li>
        )}
        <li>
          <span>{t('organisations.end.leave_text')}</span>
          <OnlineButton data-danger onClick={() => setAsked('leave')} label={t('organisations.leave.action')} />
        </li>
        {owns && (
          <li>
            <span>{t('organisations.end.remove_text')}</span>
            <OnlineButton data-danger onClick={() => setAsked('remove')} label={t('organisations.end.remove')} />
          </li>
        )}
      </ul>
      {asked === 'out' && <FundDialog organisation={organisation} direction="out" onClose={close} />}
      {asked === 'leave' && user !== null && (
        <RemoveMemberDialog
          organisation={organisation}
          member={{ ...user, user_id: user.id, tokens: 1 }}
          onClose={close}
          onRemoved={handleGone}
        />
      )}
      {asked === 'remove' && <RemoveOrganisation organisation={organisation} onClose={close} onRemoved={handleGone} />}
    </Block>
  );
}

interface RemoveOrganisationProps {
  organisation: Organisation;
  onClose: () => void;
  onRemoved: () => void;
}

function RemoveOrganisation({ organisation: { id, name, members, tokens }, onClose, onRemoved }: RemoveOrganisationProps) {
  const { t } = useTranslation();
  const [refusal, setRefusal] = useState<string>();
  const remove = useRemoveOrganisation(id);
  async function handleRemove(): Promise<void> {
    try {
      await remove.mutateAsync(undefined);
      onRemoved();
    } catch (error) {
      setRefusal(failureOf(error).message);
    }
  }
  return (
    <ConfirmDialog
      opened
      isDanger
      title={t('organisations.end.remove_title', { name })}
      text={
        <div className={layout.stackSm}>
          <p>{t('organisations.end.remove_question', { members, tokens })}</p>
          <Refusal text={refusal} />
        </div>
      }
      confirmLabel={t('organisations.end.remove')}
      onConfirm={handleRemove}
      onCancel={onClose}
    />
  );
}
