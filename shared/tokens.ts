import { z } from 'zod/mini';
import { budgetPeriods, Budgets } from '#shared/budgets.ts';
import { endpoint } from '#shared/contract.ts';
import { QueryPage } from '#shared/paging.ts';
import { QueryText } from '#shared/query-values.ts';
import { RateLimits } from '#shared/rate-limits.ts';
import { QuotaInput, quotaLimit } from '#shared/user.ts';

export const TokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
export const tokenNameLimit = 30;
/** How many tokens one call may create. */
export const tokenBatchLimit = 100;
/** How long the old secret of a renewed token may be accepted at most, in seconds. */
export const longestOldKey = 90 * 86_400;
/** Former secrets that stay valid with a token; beyond that, the one that was replaced first ends. */
export const mostOldKeys = 5;

/** A name as it is stored: on one line. */
export function tidyTokenName(given: string): string {
  return given
    .normalize('NFC')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

/** Lengths count characters, not bytes. */
export function tokenNameProblem(given: string): 'name_required' | 'name_long' | undefined {
  const name = tidyTokenName(given);
  if (name === '') return 'name_required';
  return Array.from(name).length > tokenNameLimit ? 'name_long' : undefined;
}

/** Limits of a token that an administrator may hold: its owner cannot change them then. */
export const heldLimits = ['quota', 'models', 'addresses', 'expiry', 'rate_limits', 'budgets'] as const;
export type HeldLimit = (typeof heldLimits)[number];

/** Fields of each limit, by their names in an edit. */
export const limitFields = {
  quota: ['remain_quota', 'unlimited_quota', 'refill'],
  models: ['model_limits', 'model_limits_enabled'],
  addresses: ['allow_ips'],
  expiry: ['expired_time'],
  rate_limits: ['rate_limits'],
  budgets: ['budgets'],
} as const satisfies Record<HeldLimit, readonly string[]>;

/** Limits of a member's token that bind the member once another one who manages the organisation has set them. */
export const boundLimits = [...heldLimits, 'session_budget'] as const;
export type BoundLimit = (typeof boundLimits)[number];
export const boundFields = { ...limitFields, session_budget: ['session_budget'] } as const satisfies Record<BoundLimit, readonly string[]>;

/** Quota; `ends_at` in unix seconds, 0 for `once` or if no period has begun. */
export const TightestBudget = z.object({ left: z.int(), amount: z.int(), period: z.enum(budgetPeriods), ends_at: z.int() });
export type TightestBudget = z.infer<typeof TightestBudget>;

/** Application that a person has handed a key to. */
export const TokenApplication = z.object({
  /** As it calls itself. */
  name: z.string(),
  /** Host, or scheme of a program, that the key was handed to; empty for a device. */
  target: z.string(),
  way: z.enum(['redirect', 'device']),
  /** Identifies the application in a later request. */
  ref: z.string(),
  /** Address that fetched the key. */
  ip: z.string(),
  /** Unix seconds. */
  at: z.int(),
});
export type TokenApplication = z.infer<typeof TokenApplication>;

/** A token as its owner sees it. `key` is the 48 characters after `sk-`; only lists, search and creation carry it. */
export const Token = z.object({
  id: z.int(),
  user_id: z.int(),
  /** In an organisation: the member whose token it is; 0: a service account. Absent for tokens of a person. */
  member_id: z.optional(z.int()),
  /** Team of a service account; 0: none. */
  team_id: z.optional(z.int()),
  key: z.string(),
  /** Last characters of a key whose text is not known: only its SHA-256 was moved in from another gateway. */
  key_ending: z.optional(z.string()),
  name: z.string(),
  status: z.int(),
  created_time: z.int(),
  accessed_time: z.int(),
  /** Unix seconds, -1: never. */
  expired_time: z.int(),
  /** Balance in quota units, leases included. */
  remain_quota: z.int(),
  unlimited_quota: z.boolean(),
  used_quota: z.int(),
  /** What of `used_quota` was taken from the balance: while the token was unlimited, nothing was. */
  charged_quota: z.optional(z.int()),
  /** Balance right after the last grant. */
  full_mark: z.int(),
  model_limits_enabled: z.boolean(),
  /** Comma list. */
  model_limits: z.string(),
  /** One address or CIDR range per line. */
  allow_ips: z.string(),
  group: z.string(),
  /** Groups of group `auto` in their order, as a comma list; empty: those of the site. */
  auto_groups: z.optional(z.string()),
  /** Whether calls of group `auto` move on to the next group once all channels of one have failed. */
  cross_group_retry: z.optional(z.boolean()),
  /** Quota that calls of one session of a client may cost together; 0: no bound. Absent from servers that know none. */
  session_budget: z.optional(z.int()),
  /** Absent from servers that know none, like `budgets`. */
  rate_limits: z.optional(RateLimits),
  budgets: z.optional(Budgets),
  /** Budget of the token with the least share left, in lists. Absent: it has none. */
  tightest_budget: z.optional(TightestBudget),
  /** Unix seconds until when the secret before the current one is accepted; 0: it is not. Absent from servers that know none. */
  old_key_until: z.optional(z.int()),
  /** The same of secrets before that one that are still accepted, the latest first. Absent from servers that know none. */
  earlier_keys_until: z.optional(z.array(z.int())),
  /** Why an administrator disabled it, so that its owner cannot enable it. Absent if none did. */
  blocked_reason: z.optional(z.string()),
  /** Unix seconds. */
  blocked_time: z.optional(z.int()),
  /** Limits that an administrator holds. Absent for none. */
  held: z.optional(z.array(z.enum(heldLimits))),
  /**
   * In an organisation: limits that another member who manages it has set, with their name and the time in unix seconds. The member whose token it is may
   * narrow them. Absent for none.
   */
  bounds: z.optional(z.array(z.object({ limit: z.enum(boundLimits), by: z.string(), at: z.int() }))),
  /** Another member who manages the organisation has disabled it, so that the one whose token it is cannot enable it. Absent if none did. */
  stopped: z.optional(z.object({ by: z.string(), at: z.int() })),
  DeletedAt: z.nullable(z.string()),
  revision: z.int(),
  /** Absent: it was created by its owner. */
  application: z.optional(TokenApplication),
  /** File of settings as code that manages it; absent: none. */
  managed_by: z.optional(z.string()),
  /** What that file leaves to the console: `status`, `key`. Absent if no file manages it. */
  managed_left: z.optional(z.array(z.string())),
});
export type Token = z.infer<typeof Token>;

const tokenFields = {
  name: z.string(),
  expired_time: z.int().check(z.minimum(-1), z.maximum(99_999_999_999)),
  remain_quota: QuotaInput,
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  model_limits: z.string().check(z.maxLength(20_000)),
  allow_ips: z.nullable(z.string().check(z.maxLength(20_000))),
  group: z.string().check(z.maxLength(64)),
  auto_groups: z.string().check(z.maxLength(2000)),
  cross_group_retry: z.boolean(),
  session_budget: QuotaInput,
  rate_limits: RateLimits,
  budgets: Budgets,
};

export const TokenCreate = z.object({
  ...z.partial(z.object(tokenFields)).shape,
  name: z.string(),
  /** How many to create; from the second on the name gets `-` and six random characters. */
  count: z.optional(z.int().check(z.minimum(1))),
  /** In an organisation: of a service account, with its team, instead of the member who creates it. */
  is_service: z.optional(z.boolean()),
  team_id: z.optional(z.int().check(z.minimum(0))),
});
export type TokenCreate = z.infer<typeof TokenCreate>;

/** Absent fields stay as they are. `charged_quota`, or else `used_quota`, next to `remain_quota`: as in `UserEdit`. */
export const TokenEdit = z.object({
  ...z.partial(z.object(tokenFields)).shape,
  id: z.int().check(z.minimum(1)),
  status: z.optional(z.int().check(z.minimum(1), z.maximum(4))),
  /** Negative only as it was read. */
  remain_quota: z.optional(z.int().check(z.maximum(quotaLimit))),
  used_quota: z.optional(QuotaInput),
  charged_quota: z.optional(QuotaInput),
  revision: z.optional(z.int()),
});
export type TokenEdit = z.infer<typeof TokenEdit>;

/** `revision`: of the token as the caller knows it. A renewal that is sent again after a lost reply is refused, or it would end the secret that programs use. */
export const TokenRenewal = z.object({
  /** Seconds that the old secret is accepted from now on; 0: it ends at once. */
  old_key_seconds: z.int().check(z.minimum(0), z.maximum(longestOldKey)),
  revision: z.int(),
});
export type TokenRenewal = z.infer<typeof TokenRenewal>;

/** One change of several tokens. Absent fields stay as they are; fields of a token that are not here are refused by name. */
export const TokensEdit = z.strictObject({
  ids: z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(1000)),
  /** Names this edit, so that sending it again after a lost reply refills nothing twice. */
  ref: z.string().check(z.regex(/^[\w-]{8,64}$/)),
  expired_time: z.optional(tokenFields.expired_time),
  unlimited_quota: z.optional(z.boolean()),
  /** The balance to set. */
  remain_quota: z.optional(QuotaInput),
  /** What is added to the balance of each, instead of `remain_quota`. */
  refill: z.optional(z.int().check(z.minimum(1), z.maximum(quotaLimit))),
  model_limits_enabled: z.optional(z.boolean()),
  model_limits: z.optional(tokenFields.model_limits),
  allow_ips: z.optional(z.string().check(z.maxLength(20_000))),
  group: z.optional(tokenFields.group),
  session_budget: z.optional(QuotaInput),
  rate_limits: z.optional(RateLimits),
  budgets: z.optional(Budgets),
});
export type TokensEdit = z.infer<typeof TokensEdit>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });

/** Unix seconds until when old secrets are accepted, the latest secret first. */
export function acceptedOldKeys({ old_key_until: until = 0, earlier_keys_until: earlier = [] }: Token): readonly number[] {
  return until > 0 ? [until, ...earlier] : earlier;
}

export const tokenApi = {
  /** `p` counts from 0. `total` and the cursor are further keys next to the bare array that old clients read. */
  list: endpoint('GET', '/api/token/', {
    access: 'user',
    organisation: 'keys',
    query: z.object({ p: QueryPage, size: QueryPage, page_size: QueryPage }),
    reply: z.array(Token),
    extra: z.object({ total: z.int(), total_is_lower_bound: z.optional(z.boolean()) }),
    summary: 'List own tokens',
  }),
  search: endpoint('GET', '/api/token/search', {
    access: 'user',
    organisation: 'keys',
    query: z.object({ keyword: QueryText, token: QueryText }),
    reply: z.array(Token),
    summary: 'Search own tokens by name and key',
  }),
  read: endpoint('GET', '/api/token/:id', {
    access: 'user',
    organisation: 'keys',
    params: IdParam,
    reply: Token,
    summary: 'Read an own token, key masked',
  }),
  /** Returns the new tokens with their keys. */
  create: endpoint('POST', '/api/token/', {
    access: 'user',
    organisation: 'keys',
    audit: { kind: 'token', action: 'created' },
    body: TokenCreate,
    reply: z.array(Token),
    summary: 'Create tokens',
  }),
  /** With `status_only`, only the status is written. */
  edit: endpoint('PUT', '/api/token/', {
    access: 'user',
    organisation: 'keys',
    audit: { kind: 'token', action: 'changed' },
    query: z.object({ status_only: QueryText }),
    body: TokenEdit,
    reply: Token,
    summary: 'Change a token',
  }),
  /**
   * Returns the token with its new key. Id, name, balance and logs stay, and earlier secrets stay valid for their time: of more than five the oldest
   * ends.
   */
  renew: endpoint('POST', '/api/token/:id/renew', {
    access: 'user',
    organisation: 'keys',
    audit: { kind: 'token', action: 'key_replaced' },
    params: IdParam,
    body: TokenRenewal,
    reply: Token,
    summary: 'Replace the secret of an own token',
  }),
  endOldKey: endpoint('DELETE', '/api/token/:id/old_key', {
    access: 'user',
    organisation: 'keys',
    audit: { kind: 'token', action: 'key_replaced' },
    params: IdParam,
    reply: Token,
    summary: 'End the old secrets of a renewed token at once',
  }),
  remove: endpoint('DELETE', '/api/token/:id', {
    access: 'user',
    organisation: 'keys',
    audit: { kind: 'token', action: 'deleted' },
    params: IdParam,
    summary: 'Delete a token',
  }),
  /** Refused for all when it is wrong for one. `same`: tokens that were so already. */
  editMany: endpoint('PUT', '/api/token/batch', {
    access: 'user',
    organisation: 'keys',
    audit: { kind: 'token', action: 'changed' },
    body: TokensEdit,
    reply: z.object({ changed: z.int(), same: z.int() }),
    summary: 'Change several own tokens',
  }),
  removeMany: endpoint('POST', '/api/token/batch', {
    access: 'user',
    organisation: 'keys',
    audit: { kind: 'token', action: 'deleted' },
    body: z.object({ ids: z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(1000)) }),
    reply: z.int(),
    summary: 'Delete several tokens; returns how many',
  }),
  /** Only what was deleted within `restorableSeconds`. */
  restoreMany: endpoint('POST', '/api/token/restore', {
    access: 'user',
    organisation: 'keys',
    audit: { kind: 'token', action: 'restored' },
    body: z.object({ ids: z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(1000)) }),
    reply: z.int(),
    summary: 'Take back a deletion of tokens just made; returns how many are there again',
  }),
};
