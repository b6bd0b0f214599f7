// Tokens of other users, as administrators see them: everything but the key, of which only the last characters are known.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryPage } from '#shared/paging.ts';
import { QueryText } from '#shared/query-values.ts';
import { heldLimits, Token, TokenEdit } from '#shared/tokens.ts';

export const longestBlockReason = 200;

export const TokenOwner = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  /** Of `UserStatus`. */
  status: z.int(),
  is_deleted: z.boolean(),
});
export type TokenOwner = z.infer<typeof TokenOwner>;

export const UserToken = z.object({
  ...z.omit(Token, { key: true, key_ending: true }).shape,
  /** Last characters of the key; empty if they are not known. */
  ending: z.string(),
  owner: TokenOwner,
  /** Administrator who disabled it; empty: none did. */
  blocked_by: z.string(),
  /** Token that has its key now, and its owner; absent if the key was not moved. */
  moved_to: z.optional(z.object({ id: z.int(), user_id: z.int(), username: z.string() })),
  moved_from: z.optional(z.object({ id: z.int(), user_id: z.int(), username: z.string() })),
});
export type UserToken = z.infer<typeof UserToken>;

export const UserTokenPage = z.object({
  items: z.array(UserToken),
  /** For the next page; absent on the last one. */
  cursor: z.optional(z.string()),
  /** Number of tokens that were compared, if the page ended because they were too many. */
  searched: z.optional(z.int()),
});
export type UserTokenPage = z.infer<typeof UserTokenPage>;

/** Absent fields stay as they are. `held`: limits that the owner cannot change from now on, in place of those until now. */
export const UserTokenEdit = z.object({
  ...z.pick(TokenEdit, {
    expired_time: true,
    remain_quota: true,
    charged_quota: true,
    unlimited_quota: true,
    model_limits_enabled: true,
    model_limits: true,
    allow_ips: true,
    rate_limits: true,
    budgets: true,
    revision: true,
  }).shape,
  held: z.optional(z.array(z.enum(heldLimits)).check(z.maxLength(heldLimits.length))),
});
export type UserTokenEdit = z.infer<typeof UserTokenEdit>;

const Id = z.string().check(z.regex(/^\d{1,15}$/));
const IdParam = z.object({ id: Id });
const Revision = z.optional(z.int());

export const userTokenApi = {
  /** Deleted ones are not listed. `keyword`: part of the name; `user`: id or username; none is listed of a user who does not exist. */
  list: endpoint('GET', '/api/user_token/', {
    access: 'admin',
    query: z.object({ user: QueryText, keyword: QueryText, cursor: QueryText, page_size: QueryPage }),
    reply: UserTokenPage,
    summary: 'List tokens of users, newest first, without their keys',
  }),
  /** `key`: whole or at least its last four characters, also of a replaced one; `replaced`: ids of tokens found by such a one. In the body, so that no log of requests has it. */
  find: endpoint('POST', '/api/user_token/find', {
    access: 'admin',
    audit: { exempt: 'reads' },
    body: z.object({ key: z.string().check(z.minLength(1), z.maxLength(1000)) }),
    reply: z.object({ items: z.array(UserToken), searches_ending: z.boolean(), replaced: z.optional(z.array(z.int())) }),
    summary: 'Find the user who has a key',
  }),
  read: endpoint('GET', '/api/user_token/:id', {
    access: 'admin',
    params: IdParam,
    reply: UserToken,
    summary: 'Read a token of a user, without its key',
  }),
  edit: endpoint('PUT', '/api/user_token/:id', {
    access: 'admin',
    audit: { kind: 'token', action: 'changed' },
    params: IdParam,
    body: UserTokenEdit,
    reply: UserToken,
    summary: "Change the limits of a user's token",
  }),
  block: endpoint('POST', '/api/user_token/:id/block', {
    access: 'admin',
    audit: { kind: 'token', action: 'disabled' },
    params: IdParam,
    body: z.object({ reason: z.string().check(z.maxLength(longestBlockReason)), revision: Revision }),
    reply: UserToken,
    summary: "Disable a user's token, with a reason that its owner reads and cannot undo",
  }),
  unblock: endpoint('POST', '/api/user_token/:id/unblock', {
    access: 'admin',
    audit: { kind: 'token', action: 'enabled' },
    params: IdParam,
    body: z.object({ revision: Revision }),
    reply: UserToken,
    summary: "Enable a user's token",
  }),
  /** Returns the token of the new owner. Calls until then, and those in progress, stay with the former one. */
  move: endpoint('POST', '/api/user_token/:id/move', {
    access: 'admin',
    audit: { kind: 'token', action: 'moved' },
    params: IdParam,
    body: z.object({ user_id: z.int().check(z.minimum(1)), revision: Revision }),
    reply: UserToken,
    summary: 'Move a key to another user',
  }),
  remove: endpoint('DELETE', '/api/user_token/:id', {
    access: 'admin',
    audit: { kind: 'token', action: 'deleted' },
    params: IdParam,
    summary: "Delete a user's token",
  }),
};
