import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMarkUnsaved } from '#pwa/ui/form/unsaved-store.ts';
import { safeLink } from '#shared/links.ts';
import { redemptionApi } from '#shared/redemptions.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useSiteStatus } from '#pwa/api/site-status.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import { StatusMark } from '#pwa/ui/controls/status-mark.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { refreshMoney } from './refresh-money.ts';
import { codeIn } from './shared-code.ts';
import styles from './wallet.module.css';

interface RedeemBlockProps {
  /** A text that another app has shared; '': none. */
  shared: string;
  onSharedTaken: () => void;
}

export function RedeemBlock({ shared, onSharedTaken }: RedeemBlockProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const [key, setKey] = useState('');
  useMarkUnsaved(key.trim() !== '');
  useEffect(() => {
    if (shared === '') return;
    // Filled in, not redeemed: the user presses the button.
    setKey(codeIn(shared));
    field.current?.focus();
    onSharedTaken();
  }, [shared, onSharedTaken]);
  const link = safeLink(useSiteStatus()?.top_up_link ?? '', 'web');
  const redeem = useMutation({
    mutationFn: () => call(redemptionApi.redeem, { body: { key: codeIn(key) } }),
    meta: { quiet: true },
    onSuccess: async () => {
      setKey('');
      await refreshMoney(client);
    },
  });
  const failure = redeem.error === null ? undefined : failureOf(redeem.error).message;

  function handleSubmit(event: FormEvent): void {
    event.preventDefault();
    if (key.trim() !== '' && !redeem.isPending) redeem.mutate();
  }
  /** Where the clipboard may not be read, the field is where it is pasted by hand. */
  async function handlePaste(): Promise<void> {
    const text = await navigator.clipboard.readText().catch(() => '');
    if (text.trim() !== '') {
      setKey(codeIn(text));
      redeem.reset();
    }
    field.current?.focus();
  }
  return (
    <Block
      title={t('wallet.redeem.title')}
      aside={
        link !== undefined && (
          <a className={styles.link} href={link} target="_blank" rel="noopener noreferrer">
            {t('wallet.redeem.get')}
            <Icon name="link" />
          </a>
        )
      }
    >
      <form className={`${layout.wrap} ${styles.redeem}`} noValidate onSubmit={handleSubmit}>
        <TextInput
          ref={field}
          className={styles.code}
          aria-label={t('wallet.redeem.title')}
          placeholder={t('wallet.redeem.hint')}
          value={key}
          maxLength={200}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={failure}
          onChange={(event) => {
            setKey(event.currentTarget.value);
            redeem.reset();
          }}
        />
        <Button onClick={() => void handlePaste()}>{t('wallet.redeem.paste')}</Button>
        <OnlineButton type="submit" disabled={key.trim() === ''} loading={redeem.isPending} label={t('wallet.redeem.action')} />
      </form>
      <div role="status" className={styles.redeemed}>
        {redeem.data !== undefined && <StatusMark status="on">{t('wallet.redeem.done', { amount: format.quota(redeem.data) })}</StatusMark>}
      </div>
    </Block>
  );
}
