import { queryOptions } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { accountApi } from '#shared/account.ts';
import type { User } from '#shared/user.ts';
import { call } from './call.ts';
import { onStoredUserChange, refreshUser, storedUser } from './stored-user.ts';

/** The user's own account as the server has it now: balance, group, role. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: async ({ signal }) => {
    const user = await call(accountApi.self, { signal, asPerson: true });
    if (storedUser()?.id === user.id) refreshUser(user);
    return user;
  },
  meta: { offline: true },
});

/** Who is signed in on this device, or null. Follows sign-in and sign-out in every tab. */
export function useStoredUser(): User | null {
  return useSyncExternalStore(onStoredUserChange, storedUser);
}
