import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountApi } from '#shared/account.ts';
import { Role } from '#shared/roles.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { forgetUser } from '#pwa/api/stored-user.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { discardAll } from '#pwa/offline/outbox.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Block } from '#pwa/ui/frame/block.tsx';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './personal.module.css';
import { tokenCountQuery } from './queries.ts';

/** Deleting the own account, with what is lost by it said before. */
export function RemoveBlock({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const { data: count } = useQuery(tokenCountQuery);
  const amount = format.quota(user.quota);
  const isRoot = user.role >= Role.root;
  const loss = count === undefined ? t('account.remove.loss_bare', { amount }) : t('account.remove.loss', { amount, count });
  return (
    <Block title={t('account.remove.title')}>
      <div className={`${layout.spread} ${styles.row}`}>
        <span className={styles.words}>{isRoot ? t('account.remove.root') : loss}</span>
        {!isRoot && <OnlineButton variant="default" data-danger label={t('account.remove.action')} onClick={() => setOpen(true)} />}
      </div>
      {isOpen && <RemoveDialog user={user} onClose={() => setOpen(false)} />}
    </Block>
  );
}

function RemoveDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const remove = useMutation({
    mutationFn: () => call(accountApi.remove),
    onSuccess: async () => {
      // The server has ended all sessions: this device forgets, in every tab, and the sign-in opens.
      await discardAll(user.id).catch(() => undefined);
      toastSuccess(t('account.remove.done'));
      forgetUser();
    },
  });
  return (
    <Dialog title={t('account.remove.dialog')} onClose={onClose}>
      <form
        className={layout.stackMd}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed !== user.username) setError(t('account.remove.mismatch'));
          else remove.mutate();
        }}
      >
        <p className={styles.said}>
          {t('account.remove.text', { amount: format.quota(user.quota), earnings: format.quota(user.aff_quota) })}
        </p>
        <TextInput
          label={t('account.remove.label', { username: user.username })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          error={error}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setError(undefined);
          }}
        />
        <div className={`${layout.wrap} ${styles.dialogActions}`}>
          <Button onClick={onClose}>{t('common.action.cancel')}</Button>
          <OnlineButton type="submit" variant="filled" data-danger loading={remove.isPending} label={t('account.remove.confirm')} />
        </div>
      </form>
    </Dialog>
  );
}
