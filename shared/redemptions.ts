// Redemption codes: what administrators make of them, and how a code becomes balance.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QueryInt, QueryText } from '#shared/query-values.ts';
import { quotaLimit } from '#shared/user.ts';

export const RedemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;
export const redemptionNameLimit = 20;
/** How many codes one call may create. */
export const redemptionBatchLimit = 100;

/** How many codes one call may change. */
export const codeSetLimit = 1000;
/** A sweep of more used codes than this is not taken back. */
export const sweptIdsLimit = 10_000;

/** A name as it is stored: on one line. */
export function tidyRedemptionName(given: string): string {
  return given
    .normalize('NFC')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

/** Lengths count characters, not bytes. */
export function isRedemptionName(given: string): boolean {
  const { length } = Array.from(tidyRedemptionName(given));
  return length > 0 && length <= redemptionNameLimit;
}

/** A code as administrators see it. */
export const Redemption = z.object({
  id: z.int(),
  /** Who made it. */
  user_id: z.int(),
  /** '': that account is gone. */
  user_name: z.optional(z.string()),
  /** What is redeemed; empty when it was encrypted with another master key. */
  key: z.string(),
  status: z.int(),
  name: z.string(),
  /** What it is worth, in quota. */
  quota: z.int(),
  created_time: z.int(),
  /** 0: not yet. */
  redeemed_time: z.int(),
  /** Unix seconds after which it cannot be redeemed; 0: never. */
  expired_time: z.int(),
  /** Id of the user who redeemed it; 0: none. */
  used_user_id: z.int(),
  /** '': not redeemed, or the account is gone. */
  used_user_name: z.optional(z.string()),
  /** Of creations only; 0 in answers. */
  count: z.int(),
  DeletedAt: z.nullable(z.string()),
  revision: z.int(),
});
export type Redemption = z.infer<typeof Redemption>;

const fields = {
  name: z.string().check(z.maxLength(1000)),
  quota: z.int().check(z.maximum(quotaLimit)),
  expired_time: z.int().check(z.minimum(0), z.maximum(99_999_999_999)),
};

export const RedemptionCreate = z.object({ ...z.partial(z.object(fields)).shape, count: z.optional(z.int()) });
export type RedemptionCreate = z.infer<typeof RedemptionCreate>;

/** Absent fields stay as they are. */
export const RedemptionEdit = z.object({
  ...z.partial(z.object(fields)).shape,
  id: z.int().check(z.minimum(1)),
  status: z.optional(z.int().check(z.minimum(1), z.maximum(3))),
  revision: z.optional(z.int()),
});
export type RedemptionEdit = z.infer<typeof RedemptionEdit>;

/** `restore` takes back a deletion just made (`restorableSeconds`). */
export const RedemptionAction = z.enum(['delete', 'enable', 'disable', 'restore']);
export type RedemptionAction = z.infer<typeof RedemptionAction>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });
const ListQuery = z.extend(PageQuery, { status: QueryInt });

export const redemptionApi = {
  list: endpoint('GET', '/api/redemption/', {
    access: 'admin',
    query: ListQuery,
    reply: pageOf(Redemption),
    summary: 'List redemption codes, newest first',
  }),
  /** By the beginning of the name, or by id. */
  search: endpoint('GET', '/api/redemption/search', {
    access: 'admin',
    query: z.extend(ListQuery, { keyword: QueryText }),
    reply: pageOf(Redemption),
    summary: 'Search redemption codes by name or id',
  }),
  read: endpoint('GET', '/api/redemption/:id', {
    access: 'admin',
    params: IdParam,
    reply: Redemption,
    summary: 'Read a redemption code',
  }),
  /** Answers the codes themselves. */
  create: endpoint('POST', '/api/redemption/', {
    access: 'admin',
    audit: { kind: 'code', action: 'created' },
    body: RedemptionCreate,
    reply: z.array(z.string()),
    summary: 'Create redemption codes',
  }),
  /** With `status_only`, only the status is written. */
  edit: endpoint('PUT', '/api/redemption/', {
    access: 'admin',
    audit: { kind: 'code', action: 'changed' },
    query: z.object({ status_only: QueryText }),
    body: RedemptionEdit,
    reply: Redemption,
    summary: 'Change a redemption code',
  }),
  remove: endpoint('DELETE', '/api/redemption/:id', {
    access: 'admin',
    audit: { kind: 'code', action: 'deleted' },
    params: IdParam,
    summary: 'Delete a redemption code',
  }),
  removeUsed: endpoint('DELETE', '/api/redemption/used', {
    access: 'admin',
    audit: { kind: 'code', action: 'deleted' },
    reply: z.int(),
    /** Which they were, to take it back by `batch`; null: more than `sweptIdsLimit`. */
    extra: z.object({ ids: z.nullable(z.array(z.int())) }),
    summary: 'Delete all codes that have been redeemed; answers how many',
  }),
  /** Codes that the action does not fit are left alone. */
  batch: endpoint('POST', '/api/redemption/batch', {
    access: 'admin',
    audit: { kind: 'code', action: 'changed' },
    body: z.object({
      ids: z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(codeSetLimit)),
      action: z._default(RedemptionAction, 'delete'),
    }),
    reply: z.int(),
    summary: 'Delete, enable or disable several codes, or take back a deletion just made; answers how many',
  }),
  /** Answers the quota that was added. */
  redeem: endpoint('POST', '/api/user/topup', {
    access: 'user',
    organisation: 'billing',
    audit: { kind: 'code', action: 'redeemed' },
    body: z.object({ key: z._default(z.string().check(z.maxLength(200)), '') }),
    reply: z.int(),
    summary: 'Redeem a code',
  }),
};
