import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountActionsApi } from '#shared/account-actions.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { selfQuery } from '#pwa/api/self.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { CopyButton } from '#pwa/ui/controls/copy-text.tsx';
import { Block } from '#pwa/ui/frame/block.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import surface from '#pwa/ui/styles/surface.module.css';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './personal.module.css';

/** The system access token: made, shown this once, replaced, revoked. */
export function AccessTokenBlock({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [confirming, setConfirming] = useState<'replace' | 'revoke'>();
  const token = useAccessToken();
  const madeAt = user.access_token_time ?? 0;
  const state = madeAt === 0 ? t('account.token.none') : t('account.token.made', { time: format.date(madeAt) });
  return (
    <Block title={t('account.token.title')}>
      <div className={`${layout.spread} ${styles.row}`}>
        <span className={styles.words}>
          <span>{t('account.token.label')}</span>
          <span className={typography.note}>{state}</span>
        </span>
        <span className={layout.wrap}>
          {madeAt > 0 && (
            <OnlineButton variant="subtle" data-danger label={t('account.token.revoke')} onClick={() => setConfirming('revoke')} />
          )}
          <OnlineButton
            label={t(madeAt === 0 ? 'account.token.make' : 'account.token.replace')}
            loading={token.make.isPending}
            onClick={() => (madeAt === 0 ? token.make.mutate() : setConfirming('replace'))}
          />
        </span>
      </div>
      <p className={typography.note}>{t('account.token.hint', { id: user.id })}</p>
      <ConfirmDialog
        opened={confirming !== undefined}
        title={t(`account.token.${confirming ?? 'replace'}_title`)}
        text={t(`account.token.${confirming ?? 'replace'}_text`)}
        confirmLabel={t(`account.token.${confirming ?? 'replace'}_confirm`)}
        isDanger
        onConfirm={async () => {
          const act = confirming === 'revoke' ? token.revoke : token.make;
          await act.mutateAsync().catch(() => undefined);
          setConfirming(undefined);
        }}
        onCancel={() => setConfirming(undefined)}
      />
      {token.made !== undefined && <MadeToken token={token.made} onClose={token.forget} />}
    </Block>
  );
}

/** The token is in this state only, never in a stored query. */
function useAccessToken() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [made, setMade] = useState<string>();
  const refresh = () => queryClient.invalidateQueries(selfQuery);
  const make = useMutation({
    mutationFn: () => call(accountActionsApi.newAccessToken),
    gcTime: 0,
    onSuccess: async (token) => {
      setMade(token);
      await refresh();
    },
  });
  const revoke = useMutation({
    mutationFn: () => call(accountActionsApi.revokeAccessToken),
    onSuccess: async () => {
      toastSuccess(t('account.token.revoked'));
      await refresh();
    },
  });
  function forget(): void {
    setMade(undefined);
    make.reset();
  }
  return { make, revoke, made, forget };
}

function MadeToken({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog title={t('account.token.shown_title')} onClose={onClose}>
      <p className={styles.said}>{t('account.token.shown_text')}</p>
      <code className={`${surface.well} ${styles.secretText}`}>{token}</code>
      <div className={`${layout.wrap} ${styles.dialogActions}`}>
        <Button onClick={onClose}>{t('common.action.done')}</Button>
        <CopyButton variant="filled" text={token} label={t('account.token.copy')} />
      </div>
    </Dialog>
  );
}
