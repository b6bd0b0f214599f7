import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { resendSeconds, verificationApi } from '#shared/verification.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { toastFailure, toastSuccess } from '#pwa/ui/frame/toast.ts';
import type { RegisterValues } from './register-form.ts';
import { useCountdown } from './use-countdown.ts';
import type { useHumanCheck } from './use-human-check.tsx';

interface EmailFieldsProps {
  form: {
    getValues: () => RegisterValues;
    setFieldError: (field: 'email', message: string) => void;
    getInputProps: (field: 'email' | 'verification_code') => object;
  };
  human: ReturnType<typeof useHumanCheck>;
  onSent: () => void;
}

/** The e-mail address of a registration, and the code that is sent there. */
export function EmailFields({ form, human, onSent }: EmailFieldsProps) {
  const { t } = useTranslation();
  const wait = useCountdown();
  const send = useMutation({
    mutationFn: (email: string) => call(verificationApi.sendCode, { query: { email, turnstile: human.token } }),
    meta: { quiet: true },
    onSuccess: () => {
      wait.start(resendSeconds);
      toastSuccess(t('register.code_sent'));
      onSent();
    },
    onError: (error) => {
      const failure = failureOf(error);
      if (failure.retryAfter !== undefined) wait.start(failure.retryAfter);
      if (failure.field === 'email') form.setFieldError('email', failure.message);
      else toastFailure(failure);
    },
    onSettled: human.renew,
  });
  function handleSend(): void {
    const email = form.getValues().email.trim();
    if (email === '') form.setFieldError('email', t('register.problem.email_required'));
    else if (human.isWaiting && !send.isSuccess) form.setFieldError('email', t('session.login.human_wait'));
    else send.mutate(email);
  }
  return (
    <>
      <TextInput
        label={t('signin.email.label')}
        description={t('register.email_hint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        type="email"
        inputMode="email"
        autoComplete="email"
        {...form.getInputProps('email')}
      />
      <OnlineButton
        loading={send.isPending}
        disabled={wait.left > 0}
        label={wait.left > 0 ? t('signin.email.again_in', { seconds: wait.left }) : t('register.code_send')}
        onClick={handleSend}
      />
      <TextInput
        label={t('register.code')}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('verification_code')}
      />
    </>
  );
}
