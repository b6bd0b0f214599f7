import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ManageAction, userApi } from '#shared/users.ts';
import { call } from '#pwa/api/call.ts';
import { userQuery } from './queries.ts';

/** Promote, demote, disable, enable, delete. A failure is toasted. */
export function useManageUser() {
  const queryClient = useQueryClient();
  const manage = useMutation({
    mutationFn: (body: { id: number; action: ManageAction }) => call(userApi.manage, { body }),
    onSuccess: async (user) => {
      queryClient.setQueryData(userQuery(user.id).queryKey, user);
      await queryClient.invalidateQueries({ queryKey: ['users'] });
    },
  });
  return {
    manage: (id: number, action: ManageAction) => manage.mutateAsync({ id, action }),
    busyId: manage.isPending ? manage.variables.id : undefined,
  };
}
