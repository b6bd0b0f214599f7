import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type AppRequest, appAuthorizationApi, type KeyGrant } from '#shared/app-authorizations.ts';
import { type Token, tokenApi } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';
import { useUndo } from '#pwa/api/use-undo.ts';

/** Own keys of applications, masked. */
export const appKeysQuery = queryOptions({
  queryKey: ['tokens', 'apps'],
  queryFn: ({ signal }) => call(appAuthorizationApi.list, { signal }),
  meta: { offline: true },
  // A key may have been allowed on a page of its own: the list is read again when it is shown, and when its window is focused.
  staleTime: 0,
});

export function useApprove() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { request: AppRequest; grant: KeyGrant }) => call(appAuthorizationApi.approve, { body }),
    meta: { quiet: true },
    onSettled: () => void client.invalidateQueries({ queryKey: ['tokens'] }),
  });
}

/** The request of a device. A mutation: the code is looked for when a person says so, never ahead. */
export function useOpenDevice() {
  return useMutation({
    mutationFn: (user_code: string) => call(appAuthorizationApi.openDevice, { body: { user_code } }),
    meta: { quiet: true },
  });
}

export function useDecideDevice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { user_code: string; grant?: KeyGrant }) => call(appAuthorizationApi.decideDevice, { body }),
    meta: { quiet: true },
    onSettled: () => void client.invalidateQueries({ queryKey: ['tokens'] }),
  });
}

/** Revokes a key at once; for a moment the revocation can be undone. */
export function useRevokeKey() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const offerUndo = useUndo();
  const refresh = () => client.invalidateQueries({ queryKey: ['tokens'] });
  return useMutation({
    mutationFn: ({ id }: Token) => call(tokenApi.remove, { params: { id: String(id) } }),
    onSuccess: (_none, { id, name, application }) => {
      offerUndo(t('apps.revoked', { name: application?.name ?? name }), async () => {
        const restored = await call(tokenApi.restoreMany, { body: { ids: [id] } }).finally(refresh);
        return restored === 1;
      });
    },
    onSettled: refresh,
  });
}
