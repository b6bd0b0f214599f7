import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type ManageAction, userApi } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { useUndo } from '#pwa/api/use-undo.ts';
import { userQuery } from './queries.ts';

/** Promote, demote, disable, enable, delete. A failure is toasted. A ban can be lifted again for a moment. */
export function useManageUser() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const offerUndo = useUndo();
  const manage = useMutation({
    mutationFn: (body: { id: number; action: ManageAction }) => call(userApi.manage, { body }),
    onSuccess: async (user, { action }) => {
      if (action === 'disable') {
        offerUndo(t('users.undo.banned', { name: user.username }), async () => {
          await manage.mutateAsync({ id: user.id, action: 'enable' });
          return true;
        });
      }
      queryClient.setQueryData(userQuery(user.id).queryKey, user);
      await queryClient.invalidateQueries({ queryKey: ['users'] });
    },
  });
  return {
    manage: (id: number, action: ManageAction) => manage.mutateAsync({ id, action }),
    busyId: manage.isPending ? manage.variables.id : undefined,
  };
}
