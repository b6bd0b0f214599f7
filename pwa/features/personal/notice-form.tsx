import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { NoticeList } from './notice-list.tsx';
import { OwnFields } from './own-fields.tsx';
import styles from './personal.module.css';
import { QueuedMark } from './queued-mark.tsx';
import type { OwnKey } from './own-problems.ts';
import type { OwnForm } from './use-own-form.ts';

const keys = ['notify_type', 'notification_email', 'webhook_url', 'channel_alerts'] as const satisfies readonly OwnKey[];

const WebhookFields = lazyPart(
  () => import('./webhook-fields.tsx'),
  (part) => part.WebhookFields,
  <div className={styles.webhookSpace} />,
);

export interface NoticeFormProps {
  user: User;
  form: OwnForm;
}

/** How notices come, and what became of the latest. */
export function NoticeForm({ user, form }: NoticeFormProps) {
  const { t } = useTranslation();
  const waiting = form.waiting(keys);
  const type = form.value('notify_type') === 'webhook' ? 'webhook' : 'email';
  const aside = waiting.length > 0 && (
    <QueuedMark isInConflict={waiting.some(({ state }) => state === 'conflict')}>
      {t('personal.notice.waiting', { count: waiting.length })}
    </QueuedMark>
  );
  return (
    <Block title={t('personal.notice.title')} aside={aside}>
      <OwnFields form={form}>
        <Segments
          label={t('personal.notice.way')}
          value={type}
          options={[
            { value: 'email', label: t('personal.notice.email') },
            { value: 'webhook', label: t('personal.notice.webhook') },
          ]}
          onChange={(chosen) => form.change('notify_type', chosen)}
        />
        {/* What is wrong is shown, even with fields of the other way. */}
        {(type === 'email' || form.problems.notification_email !== undefined) && <AddressField user={user} form={form} />}
        {(type === 'webhook' || form.problems.webhook_url !== undefined) && <WebhookFields user={user} form={form} />}
        {user.role >= Role.admin && (
          <SwitchRow
            label={t('personal.notice.channel_alerts')}
            description={t('personal.notice.channel_alerts_hint')}
            checked={form.value('channel_alerts') === 'true'}
            disabled={form.isSaving}
            onChange={(event) => form.change('channel_alerts', String(event.currentTarget.checked))}
          />
        )}
      </OwnFields>
      <NoticeList />
    </Block>
  );
}

function AddressField({ user, form }: NoticeFormProps) {
  const { t } = useTranslation();
  const hint = user.email === '' ? t('personal.notice.address_none') : t('personal.notice.address_own', { email: user.email });
  return (
    <TextInput
      label={t('personal.notice.address')}
      type="email"
      autoComplete="email"
      value={form.value('notification_email')}
      error={form.problems.notification_email}
      description={hint}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      onChange={(event) => form.change('notification_email', event.currentTarget.value)}
    />
  );
}
