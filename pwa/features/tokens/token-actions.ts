import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Token, type TokenCreate, type TokenEdit, tokenApi, TokenStatus } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';

/** Enables what is disabled and disables everything else. */
export function useToggleToken() {
  const refresh = useRefreshTokens();
  return useMutation({
    mutationFn: (token: Token) =>
      call(tokenApi.edit, {
        query: { status_only: 'true' },
        body: { id: token.id, status: token.status === TokenStatus.disabled ? TokenStatus.enabled : TokenStatus.disabled },
      }),
    onSettled: refresh,
  });
}

export function useRemoveTokens() {
  const refresh = useRefreshTokens();
  return useMutation({
    mutationFn: async (ids: readonly number[]) => {
      const [only] = ids;
      if (ids.length === 1 && only !== undefined) await call(tokenApi.remove, { params: { id: String(only) } });
      else await call(tokenApi.removeMany, { body: { ids: [...ids] } });
    },
    onSettled: refresh,
  });
}

export function useCreateTokens() {
  const refresh = useRefreshTokens();
  return useMutation({
    mutationFn: (body: TokenCreate) => call(tokenApi.create, { body }),
    meta: { quiet: true },
    onSuccess: refresh,
  });
}

export function useEditToken() {
  const refresh = useRefreshTokens();
  return useMutation({
    mutationFn: (body: TokenEdit) => call(tokenApi.edit, { query: {}, body }),
    meta: { quiet: true },
    onSuccess: refresh,
  });
}

function useRefreshTokens(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['tokens'] });
}
