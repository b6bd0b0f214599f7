import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notificationApi } from '#shared/notifications.ts';
import { Role } from '#shared/roles.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './test-mail.module.css';

/** Sends a mail by the saved settings and shows what the mail server says. It stands within the form of the settings. */
export function TestMail() {
  const { t } = useTranslation();
  const user = useStoredUser();
  const hint = useId();
  const [to, setTo] = useState(user?.email ?? '');
  const test = useMutation({
    mutationFn: () => call(notificationApi.testMail, { body: { to: to.trim() } }),
    meta: { quiet: true },
  });
  if ((user?.role ?? Role.guest) < Role.root) return null;
  return (
    <section className={styles.test}>
      <TextInput
        className={styles.to}
        label={t('setting_parts.test_mail.to')}
        aria-describedby={hint}
        type="email"
        autoComplete="email"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Else the settings would be saved.
          if (event.key !== 'Enter') return;
          event.preventDefault();
          test.mutate();
        }}
      />
      <OnlineButton label={t('setting_parts.test_mail.send')} loading={test.isPending} onClick={() => test.mutate()} />
      {/* Below both: within the field it would push the button below the field's line. */}
      <p className={`${typography.note} ${styles.hint}`} id={hint}>
        {t('setting_parts.test_mail.hint')}
      </p>
      <div role="status" className={styles.said}>
        {test.isSuccess && <StatusMark status="on">{t('setting_parts.test_mail.sent', { to: test.data.to })}</StatusMark>}
        {test.isError && <StatusMark status="failed">{failureOf(test.error).message}</StatusMark>}
      </div>
    </section>
  );
}
