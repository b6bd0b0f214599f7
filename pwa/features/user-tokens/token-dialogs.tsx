import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayActOn, Role } from '#shared/roles.ts';
import { longestBlockReason, type UserToken } from '#shared/user-tokens.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { Refusal } from '#pwa/ui/form/refusal.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { useBlockToken, useMoveToken, useRemoveUserToken, usersFoundQuery } from './queries.ts';

interface ActProps {
  token: UserToken;
  onClose: () => void;
  /** The token is not in the list any more. */
  onGone: () => void;
}

/** Confirms what an administrator does to a user's token. */
export function TokenDialog({ act, ...props }: ActProps & { act: 'block' | 'move' | 'remove' }) {
  if (act === 'block') return <BlockDialog {...props} />;
  return act === 'move' ? <MoveDialog {...props} /> : <RemoveDialog {...props} />;
}

function BlockDialog({ token, onClose }: ActProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const [reason, setReason] = useState('');
  const block = useBlockToken();
  return (
    <ConfirmDialog
      opened
      hasFields
      isDanger
      title={t('user-tokens.block.title', { name: token.name, owner: token.owner.username })}
      confirmLabel={t('user-tokens.block.action')}
      isDisabled={!isOnline || reason.trim() === ''}
      onConfirm={() => block.mutateAsync({ token, reason }).then(onClose, () => {})}
      onCancel={onClose}
      text={
        <div className={layout.stackMd}>
          <p>{t('user-tokens.block.text')}</p>
          <TextInput
            data-autofocus
            label={t('user-tokens.block.reason')}
            description={t('user-tokens.block.reason_hint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            autoComplete="off"
            maxLength={longestBlockReason}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Refusal text={block.error === null ? undefined : failureOf(block.error).message} />
        </div>
      }
    />
  );
}

function MoveDialog({ token, onClose, onGone }: ActProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const [keyword, setKeyword] = useState('');
  const [userId, setUserId] = useState<number>();
  const found = useQuery(usersFoundQuery(keyword.trim()));
  const role = useStoredUser()?.role ?? Role.guest;
  const move = useMoveToken();
  const people = (found.data?.items ?? []).filter(
    (user) => user.DeletedAt === null && user.id !== token.owner.id && mayActOn(role, user.role),
  );
  return (
    <ConfirmDialog
      opened
      hasFields
      title={t('user-tokens.move.title', { name: token.name })}
      confirmLabel={t('user-tokens.move.confirm')}
      isDisabled={!isOnline || userId === undefined}
      onConfirm={() => (userId === undefined ? undefined : move.mutateAsync({ token, userId }).then(onGone, () => {}))}
      onCancel={onClose}
      text={
        <div className={layout.stackMd}>
          <Select
            data-autofocus
            label={t('user-tokens.move.to')}
            searchable
            data={people.map(({ id, username }) => ({ value: String(id), label: `${username} #${id}` }))}
            filter={({ options }) => options}
            nothingFoundMessage={t(keyword.trim() === '' ? 'user-tokens.move.type' : 'user-tokens.move.nobody')}
            value={userId === undefined ? null : String(userId)}
            onSearchChange={setKeyword}
            onChange={(value) => setUserId(value === null ? undefined : Number(value))}
          />
          <p>{t('user-tokens.move.text', { owner: token.owner.username })}</p>
          <p>{t('user-tokens.move.group')}</p>
          <Refusal text={move.error === null ? undefined : failureOf(move.error).message} />
        </div>
      }
    />
  );
}

function RemoveDialog({ token, onClose, onGone }: ActProps) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const remove = useRemoveUserToken();
  return (
    <ConfirmDialog
      opened
      isDanger
      title={t('user-tokens.remove.title', { name: token.name, owner: token.owner.username })}
      text={
        <div className={layout.stackMd}>
          <p>{t('user-tokens.remove.text')}</p>
          <Refusal text={remove.error === null ? undefined : failureOf(remove.error).message} />
        </div>
      }
      confirmLabel={t('user-tokens.remove.action')}
      isDisabled={!isOnline}
      onConfirm={() => remove.mutateAsync(token).then(onGone, () => {})}
      onCancel={onClose}
    />
  );
}
