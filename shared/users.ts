import { z } from 'zod/mini';
import { Budgets } from '#shared/budgets.ts';
import { endpoint } from '#shared/contract.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QueryBoolean, QueryText } from '#shared/query-values.ts';
import { RateLimits } from '#shared/rate-limits.ts';
import { QuotaInput, User, balanceReasonLimit, quotaLimit } from '#shared/user.ts';

/** Administrator's edit. Absent fields stay as they are. */
export const UserEdit = z.object({
  id: z.int().check(z.minimum(1)),
  username: z.optional(z.string()),
  display_name: z.optional(z.string()),
  password: z.optional(z.string()),
  group: z.optional(z.string().check(z.maxLength(64))),
  /**
   * Balance to set. With `used_quota` (a client that sends the whole record back), both together determine the intended edit, independent of what was
   * spent since the record was read. Negative only as it was read: a call may have ended below zero.
   */
  quota: z.optional(z.int().check(z.maximum(quotaLimit))),
  used_quota: z.optional(QuotaInput),
  /** Signed change of the balance, instead of `quota`. */
  quota_change: z.optional(z.int().check(z.minimum(-quotaLimit), z.maximum(quotaLimit))),
  /** Names this change, so that sending it again after a lost response does not make it twice. */
  quota_ref: z.optional(z.string().check(z.regex(/^[\w-]{8,64}$/))),
  /** Why the balance changes. The user reads it too. */
  quota_reason: z.optional(z.string().check(z.maxLength(balanceReasonLimit))),
  /** Of all calls of the user. */
  rate_limits: z.optional(RateLimits),
  budgets: z.optional(Budgets),
  /** Neither is changed here: only the values that the user has are taken, from clients that send the whole record back. */
  role: z.optional(z.int()),
  status: z.optional(z.int()),
  revision: z.optional(z.int()),
});
export type UserEdit = z.infer<typeof UserEdit>;

export const UserCreate = z.object({
  username: z.string(),
  password: z.string(),
  display_name: z.optional(z.string()),
  role: z.optional(z.int()),
  group: z.optional(z.string().check(z.maxLength(64))),
  /** What the account has from the start, besides the bonus of every new user. */
  quota: z.optional(QuotaInput),
});
export type UserCreateInput = z.input<typeof UserCreate>;

export const ManageAction = z.enum(['promote', 'demote', 'disable', 'enable', 'delete']);
export type ManageAction = z.infer<typeof ManageAction>;

/** One change of a balance that was no relayed call. */
export const BalanceChange = z.object({
  id: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  /** Short name of what it was: `edit`, `signup`, `redemption` and so on. */
  kind: z.string(),
  /** Quota, signed. */
  amount: z.int(),
  /** Who did it; 0: the system. */
  actor_id: z.int(),
  actor_name: z.string(),
  reason: z.string(),
});
export type BalanceChange = z.infer<typeof BalanceChange>;

/** A person in the tree of invitations. */
export const Invited = z.object({
  id: z.int(),
  username: z.string(),
  status: z.int(),
  is_deleted: z.boolean(),
  created_time: z.int(),
  used_quota: z.int(),
  /** How many this person invited. */
  aff_count: z.int(),
});
export type Invited = z.infer<typeof Invited>;

/** Figures that the list of users is sorted by, the largest first unless `ascending`; without one the newest user comes first. */
export const UserSort = z.enum(['balance', 'used', 'requests']);
export type UserSort = z.infer<typeof UserSort>;
const UserPageQuery = z.extend(PageQuery, { sort: z.pipe(QueryText, z.optional(UserSort)), ascending: QueryBoolean });

/** A user of the list. */
export const ListedUser = z.extend(User, {
  /** Unix seconds of the newest call; 0: none that is still in the log. */
  last_call: z.optional(z.int()),
});
export type ListedUser = z.infer<typeof ListedUser>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });

export const userApi = {
  list: endpoint('GET', '/api/user/', { access: 'admin', query: UserPageQuery, reply: pageOf(ListedUser), summary: 'List users' }),
  search: endpoint('GET', '/api/user/search', {
    access: 'admin',
    query: z.extend(UserPageQuery, { keyword: QueryText, group: QueryText }),
    reply: pageOf(ListedUser),
    summary: 'Search users by name, e-mail, id and group',
  }),
  read: endpoint('GET', '/api/user/:id', { access: 'admin', params: IdParam, reply: User, summary: 'Read a user' }),
  create: endpoint('POST', '/api/user/', {
    access: 'admin',
    audit: { kind: 'user', action: 'created' },
    body: UserCreate,
    summary: 'Add a user',
  }),
  /** Returns the record as it is afterwards. */
  edit: endpoint('PUT', '/api/user/', {
    access: 'admin',
    audit: { kind: 'user', action: 'changed' },
    body: UserEdit,
    reply: User,
    summary: 'Change a user',
  }),
  manage: endpoint('POST', '/api/user/manage', {
    access: 'admin',
    audit: { kind: 'user', action: 'changed' },
    body: z.object({ id: z.int().check(z.minimum(1)), action: ManageAction }),
    reply: User,
    summary: 'Promote, demote, disable, enable or delete a user',
  }),
  balanceHistory: endpoint('GET', '/api/user/:id/balance_history', {
    access: 'admin',
    params: IdParam,
    query: PageQuery,
    reply: pageOf(BalanceChange),
    summary: 'What changed a balance, besides calls, newest first',
  }),
  /** `inviters`: who invited the user, who invited that one, and so on. The page holds those whom the user invited. */
  invitations: endpoint('GET', '/api/user/:id/invitations', {
    access: 'admin',
    params: IdParam,
    query: PageQuery,
    reply: pageOf(Invited),
    extra: z.object({ inviters: z.array(Invited) }),
    summary: 'Whom a user invited, newest first, and who invited the user',
  }),
  endSessions: endpoint('DELETE', '/api/user/:id/sessions', {
    access: 'admin',
    audit: { kind: 'user', action: 'sessions_ended', by: 'call', object: 'id' },
    params: IdParam,
    reply: z.int(),
    summary: 'Sign a user out everywhere; answers how many sessions ended',
  }),
  remove: endpoint('DELETE', '/api/user/:id', {
    access: 'admin',
    audit: { kind: 'user', action: 'deleted' },
    params: IdParam,
    summary: 'Delete a user',
  }),
};
