import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tokenApi, tokenNameLimit } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { QuotaInput } from '#pwa/ui/form/quota-input.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './chat.module.css';
import { type ChatKey, chatKeyOf } from './queries.ts';

interface AskKeyProps {
  /** Of the application. */
  name: string;
  /** Who gets the key. */
  place: string;
  keys: readonly ChatKey[];
  /** The token whose panel led here. */
  proposed: number | undefined;
  onGive: (key: ChatKey) => void;
}

/** One dollar with the default units per dollar: the most that a third party's page could lose. */
const newQuota = 500_000;
const isNew = 'new';

/** Which token an application may have: one of those that there are, or one of its own with a limit, which is proposed. */
export function AskKey({ name, place, keys, proposed, onGive }: AskKeyProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const client = useQueryClient();
  const [chosen, setChosen] = useState(() => (keys.some(({ id }) => id === proposed) ? String(proposed) : isNew));
  const [quota, setQuota] = useState<number | ''>(newQuota);
  const create = useMutation({
    mutationFn: async () => {
      const body = { name: name.slice(0, tokenNameLimit), remain_quota: quota === '' ? 0 : quota, unlimited_quota: false };
      const [token] = await call(tokenApi.create, { body });
      return token === undefined ? [] : chatKeyOf(token);
    },
    meta: { quiet: true },
    onSuccess: ([key]) => {
      void client.invalidateQueries({ queryKey: ['tokens'] });
      if (key !== undefined) onGive(key);
    },
  });
  const quotaProblem = chosen === isNew && (quota === '' || quota <= 0) ? t('chat.ask.limit_missing') : undefined;

  function handleSubmit(event: FormEvent): void {
    event.preventDefault();
    const key = keys.find(({ id }) => String(id) === chosen);
    if (key !== undefined) onGive(key);
    else if (quotaProblem === undefined && isOnline && !create.isPending) create.mutate();
  }
  return (
    <form className={`${layout.stackLg} ${styles.ask}`} noValidate onSubmit={handleSubmit}>
      <h2>{t('chat.ask.title', { name })}</h2>
      <p>{t('chat.ask.text', { place })}</p>
      <label className={`${layout.stackXs} ${styles.field}`}>
        {t('chat.ask.token')}
        <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          <option value={isNew}>{t('chat.ask.new')}</option>
          {keys.map((key) => (
            <option key={key.id} value={key.id}>
              {`${key.name} · ${key.key.slice(0, 7)}…${key.key.slice(-4)}`}
            </option>
          ))}
        </select>
      </label>
      {chosen === isNew && <QuotaInput label={t('chat.ask.limit')} value={quota} error={quotaProblem} onChange={setQuota} />}
      {create.error !== null && (
        <p role="alert">
          <StatusMark status="failed">{failureOf(create.error).message}</StatusMark>
        </p>
      )}
      <OnlineButton
        type="submit"
        variant="filled"
        className={styles.give}
        loading={create.isPending}
        label={t(chosen === isNew ? 'chat.ask.create' : 'chat.ask.give')}
      />
    </form>
  );
}
