import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { userApi } from '#shared/users.ts';
import { type UserToken, type UserTokenEdit, userTokenApi } from '#shared/user-tokens.ts';
import { call } from '#pwa/api/call.ts';
import type { UserTokensSearch } from './user-tokens-search.ts';

export const userTokensQuery = ({ user, keyword, after }: UserTokensSearch, size: number) =>
  queryOptions({
    queryKey: ['user-tokens', { user, keyword, after, size }],
    queryFn: ({ signal }) => call(userTokenApi.list, { query: { user, keyword, cursor: after, page_size: String(size) }, signal }),
    meta: { offline: true },
    placeholderData: keepPreviousData,
  });

export const userTokenQuery = (id: number) =>
  queryOptions({
    queryKey: ['user-tokens', 'one', id],
    queryFn: ({ signal }) => call(userTokenApi.read, { params: { id: String(id) }, signal }),
    staleTime: 0,
  });

/** Users who match what was typed, for a choice. */
export const usersFoundQuery = (keyword: string) =>
  queryOptions({
    queryKey: ['users', 'found', keyword],
    queryFn: ({ signal }) => call(userApi.search, { query: { keyword, page_size: '20' }, signal }),
    enabled: keyword !== '',
    placeholderData: keepPreviousData,
  });

/** Not a query: what was entered is stored nowhere. */
export function useFindKey() {
  return useMutation({ mutationFn: (key: string) => call(userTokenApi.find, { body: { key } }), meta: { quiet: true }, gcTime: 0 });
}

export function useEditUserToken() {
  return useTokenMutation(({ id, ...body }: UserTokenEdit & { id: number }) =>
    call(userTokenApi.edit, { params: { id: String(id) }, body }),
  );
}

export function useBlockToken() {
  return useTokenMutation(({ token, reason }: { token: UserToken; reason: string }) =>
    call(userTokenApi.block, { params: { id: String(token.id) }, body: { reason, revision: token.revision } }),
  );
}

export function useUnblockToken() {
  return useTokenMutation((token: UserToken) =>
    call(userTokenApi.unblock, { params: { id: String(token.id) }, body: { revision: token.revision } }),
  );
}

export function useMoveToken() {
  return useTokenMutation(({ token, userId }: { token: UserToken; userId: number }) =>
    call(userTokenApi.move, { params: { id: String(token.id) }, body: { user_id: userId, revision: token.revision } }),
  );
}

export function useRemoveUserToken() {
  return useTokenMutation((token: UserToken) => call(userTokenApi.remove, { params: { id: String(token.id) } }));
}

/** Reads lists again when the work has ended. */
function useTokenMutation<Input, Result>(mutationFn: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    meta: { quiet: true },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['user-tokens'] });
      void client.invalidateQueries({ queryKey: ['limits'] });
    },
  });
}
