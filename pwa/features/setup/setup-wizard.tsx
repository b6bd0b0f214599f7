import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { z } from 'zod/mini';
import { useTranslation } from 'react-i18next';
import { setupApi, type SetupInput, type SetupStatus } from '#shared/setup.ts';
import { passwordLimits, type User, usernameLimit } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf, refusalText } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { PasswordField } from '#pwa/ui/form/password-field.tsx';
import { focusFirstError, problemTexts, showOnField } from '#pwa/ui/form/field-errors.ts';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import { emptySetup, setupBody, setupProblems, usageModes } from './setup-form.ts';
import styles from './setup-screen.module.css';

const formId = 'setup-form';

interface SetupWizardProps {
  state: z.infer<typeof SetupStatus>;
  /** `user`: the account that was made, which is signed in by now; undefined when it was there before. */
  onFinished: (user: User | undefined) => void;
}

export function SetupWizard({ state, onFinished }: SetupWizardProps) {
  const { t } = useTranslation();
  const { form, needs, submit, isPending, refusal } = useSetupForm(state, onFinished);
  return (
    <form id={formId} className={styles.form} noValidate onSubmit={submit}>
      <RootAccount form={form} {...needs} />
      <UsageModes form={form} />
      {refusal !== undefined && (
        <p className={styles.failure} role="alert">
          <StatusMark status="failed">{refusal}</StatusMark>
        </p>
      )}
      <OnlineButton type="submit" variant="filled" className={styles.submit} loading={isPending} label={t('setup.submit')} />
      <Database type={state.database_type} />
    </form>
  );
}

function useSetupForm(state: SetupWizardProps['state'], onFinished: SetupWizardProps['onFinished']) {
  const { t } = useTranslation();
  const needs = { needsAccount: !state.root_init, needsSecret: state.secret_required };
  const form = useForm({
    initialValues: emptySetup,
    validate: (values) =>
      problemTexts(setupProblems(values, needs), (problem) => t(`setup.problem.${problem}`, { ...passwordLimits, limit: usernameLimit })),
  });
  const send = useMutation({
    mutationFn: (body: SetupInput) => call(setupApi.submit, { body }),
    meta: { quiet: true },
    onSuccess: onFinished,
    onError: (error) => showOnField(form, failureOf(error)),
  });
  const submit = form.onSubmit(
    (values) => send.mutate(setupBody(values, needs)),
    () => focusFirstError(formId),
  );
  return { form, needs, submit, isPending: send.isPending, refusal: refusalText(send.error, form) };
}
type SetupForm = ReturnType<typeof useSetupForm>['form'];

/** Where the data is stored. Below the form: nothing there is to be entered. */
function Database({ type }: { type: string }) {
  const { t } = useTranslation();
  if (type === '') return null;
  const isFile = type === 'sqlite';
  return (
    <section className={`${layout.stackMd} ${styles.part}`} aria-labelledby="setup-database">
      <h2 className={`${typography.heading} ${styles.partTitle}`} id="setup-database">
        {t('setup.database.title')}
      </h2>
      <p className={`${layout.stackXs} ${typography.secondary}`}>
        <StatusMark status={isFile ? 'note' : 'on'} strong>
          {t(isFile ? 'setup.database.file' : 'setup.database.server')}
        </StatusMark>
        <span>{t(isFile ? 'setup.database.file_text' : 'setup.database.server_text')}</span>
        {isFile && <span>{t('setup.database.container_text')}</span>}
      </p>
    </section>
  );
}

interface RootAccountProps {
  form: SetupForm;
  /** False: the account was there before. */
  needsAccount: boolean;
  needsSecret: boolean;
}

function RootAccount({ form, needsAccount, needsSecret }: RootAccountProps) {
  const { t } = useTranslation();
  return (
    <section className={`${layout.stackMd} ${styles.part}`} aria-labelledby="setup-account">
      <h2 className={`${typography.heading} ${styles.partTitle}`} id="setup-account">
        {t('setup.account.title')}
      </h2>
      {needsAccount ? (
        <>
          <p className={`${typography.secondary} ${styles.hint}`}>{t('setup.account.hint')}</p>
          <TextInput
            label={t('setup.account.username')}
            description={t('setup.account.username_hint', { limit: usernameLimit })}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            autoComplete="username"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            autoFocus
            {...form.getInputProps('username')}
          />
          <PasswordField
            label={t('setup.account.password')}
            description={t('setup.account.password_hint', passwordLimits)}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <PasswordField label={t('setup.account.confirm')} autoComplete="new-password" {...form.getInputProps('confirmPassword')} />
        </>
      ) : (
        <p className={`${typography.secondary} ${styles.hint}`}>
          <StatusMark status="on">{t('setup.account.exists')}</StatusMark>
        </p>
      )}
      {needsSecret && (
        <PasswordField
          label={t('setup.secret.label')}
          description={t('setup.secret.hint')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="off"
          {...form.getInputProps('setup_secret')}
        />
      )}
    </section>
  );
}

function UsageModes({ form }: { form: SetupForm }) {
  const { t } = useTranslation();
  return (
    <fieldset className={`${layout.stackMd} ${styles.part}`}>
      <legend className={`${typography.heading} ${styles.partTitle}`}>{t('setup.mode.title')}</legend>
      <p className={`${typography.secondary} ${styles.hint}`}>{t('setup.mode.hint')}</p>
      {usageModes.map((mode) => (
        <label key={mode} className={styles.choice} data-chosen={form.values.mode === mode || undefined}>
          <input
            type="radio"
            name="mode"
            value={mode}
            checked={form.values.mode === mode}
            onChange={() => form.setFieldValue('mode', mode)}
          />
          <span>
            <b>{t(`setup.mode.${mode}`)}</b>
            <span className={typography.secondary}>{t(`setup.mode.${mode}_text`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
