import { queryOptions } from '@tanstack/react-query';
import { accountApi } from '#shared/account.ts';
import { accountActionsApi } from '#shared/account-actions.ts';
import { notificationApi } from '#shared/notifications.ts';
import { tokenApi } from '#shared/tokens.ts';
import { call, callWithExtra } from '#pwa/api/call.ts';

/** Own latest notices. */
export const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: ({ signal }) => call(notificationApi.list, { signal }),
  meta: { offline: true },
});

export const inviteCodeQuery = queryOptions({
  queryKey: ['invite-code'],
  queryFn: ({ signal }) => call(accountActionsApi.inviteCode, { signal }),
  meta: { offline: true },
});

/** Names of the models that one may use. */
export const ownModelsQuery = queryOptions({
  queryKey: ['own-models'],
  queryFn: ({ signal }) => call(accountApi.models, { signal }),
  meta: { offline: true },
});

/** How many tokens there are. */
export const tokenCountQuery = queryOptions({
  queryKey: ['token-count'],
  queryFn: async ({ signal }) => (await callWithExtra(tokenApi.list, { query: { p: 0, size: 1 }, signal })).extra.total,
});
