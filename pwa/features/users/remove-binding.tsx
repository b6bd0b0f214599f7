import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Binding } from '#shared/oauth.ts';
import { userBindingApi } from '#shared/user-bindings.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { useIsOnline } from '#pwa/offline/online-status.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { userQuery } from './queries.ts';

/** Takes a linked account away from a user. */
export function RemoveBinding({ user, binding, name }: { user: Pick<User, 'id' | 'username'>; binding: Binding; name: string }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const queryClient = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: () => call(userBindingApi.remove, { params: { id: String(user.id), binding } }),
    onSuccess: async (saved) => {
      queryClient.setQueryData(userQuery(user.id).queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: ['users'] });
    },
  });
  return (
    <>
      <Button
        variant="subtle"
        disabled={!isOnline}
        aria-label={t('users.binding.remove_named', { name })}
        onClick={() => setConfirming(true)}
      >
        {t('users.binding.remove')}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          opened
          title={t('users.binding.title', { name, user: user.username })}
          text={t('users.binding.text')}
          confirmLabel={t('users.binding.remove')}
          isDanger
          onConfirm={async () => {
            // A failure has been toasted.
            await remove.mutateAsync().catch(() => {});
            setConfirming(false);
          }}
          onCancel={() => setConfirming(false)}
        />
      )}
    </>
  );
}
