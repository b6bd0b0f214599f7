import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import { webhookUrlOf } from '#shared/webhook-url.ts';
import type { OwnSettingKey, OwnSettings } from '#pwa/offline/edits/own-setting.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { SwitchRow } from '#pwa/ui/form/switch-row.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { NoticeList } from './notice-list.tsx';
import styles from './personal.module.css';
import { SaveButton } from './save-button.tsx';
import { type Credential, useOwnSettings } from './use-own-settings.ts';

const keys = ['notify_type', 'notification_email', 'webhook_url', 'channel_alerts'] as const satisfies readonly OwnSettingKey[];
type Key = (typeof keys)[number];

const WebhookFields = lazyPart(
  () => import('./webhook-fields.tsx'),
  (part) => part.WebhookFields,
  <div className={styles.webhookSpace} />,
);

/** How notices come, and what became of the latest. */
export function NoticeForm({ user }: { user: User }) {
  const { t } = useTranslation();
  const form = useNoticeForm(user);
  const waiting = form.own.waiting(keys);
  const type = form.value('notify_type') === 'webhook' ? 'webhook' : 'email';
  const aside = waiting.length > 0 && (
    <StatusMark status={waiting.some(({ state }) => state === 'conflict') ? 'conflict' : 'waiting'}>
      {t('personal.notice.waiting', { count: waiting.length })}
    </StatusMark>
  );
  return (
    <Block title={t('personal.notice.title')} aside={aside}>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.save();
        }}
      >
        <Segments
          label={t('personal.notice.way')}
          value={type}
          options={[
            { value: 'email', label: t('personal.notice.email') },
            { value: 'webhook', label: t('personal.notice.webhook') },
          ]}
          onChange={(chosen) => form.change('notify_type', chosen)}
        />
        {type === 'email' ? <AddressField user={user} form={form} /> : <WebhookFields user={user} form={form} />}
        {user.role >= Role.admin && (
          <SwitchRow
            label={t('personal.notice.channel_alerts')}
            description={t('personal.notice.channel_alerts_hint')}
            checked={form.value('channel_alerts') === 'true'}
            disabled={form.own.isSaving}
            onChange={(event) => form.change('channel_alerts', String(event.currentTarget.checked))}
          />
        )}
        <SaveButton of="notice" isDirty={form.isDirty} isSaving={form.own.isSaving} />
      </form>
      <NoticeList />
    </Block>
  );
}

export type NoticeFormState = ReturnType<typeof useNoticeForm>;

function useNoticeForm(user: User) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const [typed, setTyped] = useState<Partial<Record<Key, string>>>({});
  const [secret, setSecret] = useState<string>();
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const own = useOwnSettings(user, {
    onDone() {
      setTyped({});
      setSecret(undefined);
    },
    onRefused(failure) {
      if (failure.field === undefined) return false;
      setErrors({ [failure.field]: failure.message });
      return true;
    },
  });
  const value = (key: Key) => typed[key] ?? own.shown(key);

  function problems(): Record<string, string> {
    const found: Record<string, string> = {};
    const [url, email] = [value('webhook_url').trim(), value('notification_email').trim()];
    if (value('notify_type') === 'webhook' && url === '') found['webhook_url'] = t('personal.notice.url_required');
    else if (url !== '' && webhookUrlOf(url, true) === undefined) found['webhook_url'] = t('personal.notice.url_invalid');
    if (email !== '' && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) found['notification_email'] = t('personal.notice.email_invalid');
    if ((secret ?? '') !== '' && !isOnline) found['webhook_secret'] = t('personal.notice.secret_online');
    return found;
  }
  return {
    own,
    value,
    secret,
    isDirty: (secret ?? '') !== '' || keys.some((key) => value(key).trim() !== own.shown(key)),
    errors,
    setSecret,
    change(key: Key, text: string) {
      setTyped({ ...typed, [key]: text });
      setErrors({});
    },
    save() {
      const found = problems();
      setErrors(found);
      if (Object.keys(found).length > 0) return;
      const changes: OwnSettings = {};
      for (const key of keys) if (value(key).trim() !== own.shown(key)) changes[key] = value(key).trim();
      const credential: Credential = (secret ?? '') === '' ? {} : { webhook_secret: secret };
      own.save(changes, credential);
    },
    dropSecret: () => own.save({}, { remove_webhook_secret: true }),
  };
}

function AddressField({ user, form }: { user: User; form: NoticeFormState }) {
  const { t } = useTranslation();
  const hint = user.email === '' ? t('personal.notice.address_none') : t('personal.notice.address_own', { email: user.email });
  return (
    <TextInput
      label={t('personal.notice.address')}
      type="email"
      autoComplete="email"
      value={form.value('notification_email')}
      error={form.errors['notification_email']}
      description={hint}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      onChange={(event) => form.change('notification_email', event.currentTarget.value)}
    />
  );
}
