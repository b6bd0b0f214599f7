import { Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { userSettingOf } from '#shared/user-setting.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { SecretField } from '#pwa/ui/form/secret-field.tsx';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import type { NoticeFormProps } from './notice-form.tsx';
import styles from './personal.module.css';

const sample = `{
  "type": "quota_exceed",
  "title": "…",
  "content": "{{value}} … {{value}}",
  "values": ["…", "＄0.500000"],
  "timestamp": 1739950503
}`;

/** Where notices are posted, and how they are signed. */
export function WebhookFields({ user, form }: NoticeFormProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const hasSecret = userSettingOf(user).has_webhook_secret === true;
  return (
    <>
      <TextInput
        label={t('personal.notice.url')}
        type="url"
        autoComplete="off"
        placeholder="https://example.com/webhook"
        value={form.value('webhook_url')}
        error={form.problems.webhook_url}
        description={t('personal.notice.url_hint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        onChange={(event) => form.change('webhook_url', event.currentTarget.value)}
      />
      <div className={`${layout.stackSm} ${styles.secret}`}>
        <SecretField
          label={t('personal.notice.secret')}
          isSet={hasSecret}
          value={form.secret}
          error={form.problems.webhook_secret}
          onChange={form.setSecret}
        />
        {hasSecret && form.secret === undefined && isOnline && (
          <Button variant="subtle" onClick={form.dropSecret}>
            {t('personal.notice.secret_remove')}
          </Button>
        )}
        <p className={typography.note}>{t('personal.notice.secret_hint')}</p>
      </div>
      <Fold title={t('personal.notice.shape')}>
        <pre className={`${surface.well} ${styles.sample}`}>{sample}</pre>
      </Fold>
    </>
  );
}
