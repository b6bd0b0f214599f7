import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Token, type TokenCreate, type TokenEdit, type TokenRenewal, type TokensEdit, tokenApi, TokenStatus } from '#shared/tokens.ts';
import { call } from '#pwa/api/call.ts';
import { newRequestName } from '#pwa/api/request-name.ts';
import { toastSuccess } from '#pwa/ui/frame/toast.ts';
import { useUndo } from '#pwa/api/use-undo.ts';

/** Enables what is disabled and disables everything else, at once. What was enabled can be enabled again for a moment. */
export function useToggleToken() {
  const { t } = useTranslation();
  const refresh = useRefreshTokens();
  const offerUndo = useUndo();
  return useMutation({
    mutationFn: (token: Token) =>
      call(tokenApi.edit, {
        query: { status_only: 'true' },
        body: { id: token.id, status: token.status === TokenStatus.disabled ? TokenStatus.enabled : TokenStatus.disabled },
      }),
    onSuccess: ({ id, name, revision }, { status }) => {
      if (status !== TokenStatus.enabled) return;
      offerUndo(t('tokens.undo.disabled', { name }), async () => {
        // Changes that others made since then stay.
        const body = { id, status: TokenStatus.enabled, revision };
        await call(tokenApi.edit, { query: { status_only: 'true' }, body }).finally(refresh);
        return true;
      });
    },
    onSettled: refresh,
  });
}

/** Deletes them at once; for a moment they can be had back as they were. */
export function useRemoveTokens() {
  const { t } = useTranslation();
  const refresh = useRefreshTokens();
  const offerUndo = useUndo();
  return useMutation({
    mutationFn: async (tokens: readonly Pick<Token, 'id' | 'name'>[]) => {
      const ids = tokens.map(({ id }) => id);
      const [only] = ids;
      if (ids.length === 1 && only !== undefined) await call(tokenApi.remove, { params: { id: String(only) } });
      else await call(tokenApi.removeMany, { body: { ids } });
    },
    onSuccess: (_answer, tokens) => {
      const ids = tokens.map(({ id }) => id);
      offerUndo(t('tokens.undo.deleted', { count: ids.length, name: tokens[0]?.name ?? '' }), async () => {
        const restored = await call(tokenApi.restoreMany, { body: { ids } }).finally(refresh);
        return restored === ids.length;
      });
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
    // The list follows the saved form: text that was typed in the meantime is compared with what was sent.
    onSuccess: () => void refresh(),
  });
}

/** A renewal that meets another edit shows what is there now. */
export function useRenewToken() {
  const refresh = useRefreshTokens();
  return useMutation({
    mutationFn: ({ id, ...body }: TokenRenewal & { id: number }) => call(tokenApi.renew, { params: { id: String(id) }, body }),
    meta: { quiet: true },
    onSettled: () => void refresh(),
  });
}

export function useEndOldKey() {
  const { t } = useTranslation();
  const refresh = useRefreshTokens();
  return useMutation({
    mutationFn: (id: number) => call(tokenApi.endOldKey, { params: { id: String(id) } }),
    onSuccess: () => toastSuccess(t('tokens.old_key.ended')),
    onSettled: refresh,
  });
}

export function useEditTokens() {
  const refresh = useRefreshTokens();
  // The same name for the same edit until its outcome is known: a reply may be lost.
  const named = useRef({ text: '', ref: '' });
  return useMutation({
    mutationFn: (body: Omit<TokensEdit, 'ref'>) => {
      const text = JSON.stringify(body);
      if (named.current.text !== text) named.current = { text, ref: newRequestName() };
      return call(tokenApi.editMany, { body: { ...body, ref: named.current.ref } });
    },
    meta: { quiet: true },
    onSettled: () => void refresh(),
  });
}

function useRefreshTokens(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['tokens'] });
    await client.invalidateQueries({ queryKey: ['limits'] });
  };
}
