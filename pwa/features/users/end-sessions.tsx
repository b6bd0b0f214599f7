import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type User } from '#shared/user.ts';
import { userApi } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { OnlineButton } from '#pwa/offline/online-button.tsx';
import { ConfirmDialog } from '#pwa/ui/frame/confirm-dialog.tsx';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';

/** Signs the user out on every device. */
export function EndSessions({ user, disabled }: { user: Pick<User, 'id' | 'username'>; disabled: boolean }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const end = useMutation({
    mutationFn: () => call(userApi.endSessions, { params: { id: String(user.id) } }),
    onSuccess: async (count) => {
      toastSuccess(t('users.sessions.done', { count }));
      await queryClient.invalidateQueries({ queryKey: ['logs'] });
    },
  });
  return (
    <>
      <OnlineButton disabled={disabled} loading={end.isPending} onClick={() => setConfirming(true)} label={t('users.sessions.end')} />
      {isConfirming && (
        <ConfirmDialog
          opened
          title={t('users.sessions.title', { name: user.username })}
          text={t('users.sessions.text')}
          confirmLabel={t('users.sessions.end')}
          onConfirm={async () => {
            // A failure has been toasted.
            await end.mutateAsync().catch(() => {});
            setConfirming(false);
          }}
          onCancel={() => setConfirming(false)}
        />
      )}
    </>
  );
}
