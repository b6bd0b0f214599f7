// Limits of a member's token that another one who manages the organisation has set, and its disabling: the member may narrow them, not undo them. Owners are
// not bound, because they decide who manages.
import { commaList } from '#shared/comma-list.ts';
import type { Budget } from '#shared/budgets.ts';
import { allowedAddresses } from '#shared/allowed-addresses.ts';
import { AppError } from '#shared/errors.ts';
import { type RateLimit, rateLimitKey } from '#shared/rate-limits.ts';
import { type BoundLimit, boundLimits, boundFields, TokenStatus } from '#shared/tokens.ts';
import { budgetsOf, rateLimitsOf } from '#server/accounts/stored-limits.ts';
import type { Change } from '#server/db/edit-record.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { Membership } from '#server/http/membership.ts';
import { balanceOf } from '#server/money/account.ts';
import { contains, parseRange } from '#server/network/addresses.ts';

/** Who set it: user id, name at that time, and unix seconds. */
export interface SetBy {
  by: number;
  name: string;
  at: number;
}

/** Values as they were set. Of the quota: balance and what was charged to it, which calls do not change. */
interface BoundValues {
  quota: number;
  models: string;
  addresses: string;
  expiry: number;
  session_budget: number;
  rate_limits: string;
  budgets: string;
}

export type StoredBounds = { [Limit in BoundLimit]?: SetBy & { value: BoundValues[Limit] } };

/** Edit of a token by a member, and the time of it in unix seconds. */
export interface MemberEdit {
  membership: Membership;
  at: number;
}

/** What an edit makes of the token: its fields, and the sum of balance and charges. */
interface Edited {
  fields: Partial<TokenRecord>;
  /** Undefined if the balance stays. */
  granted?: number | undefined;
}

export function boundsOf({ member_bounds: text = '' }: Pick<TokenRecord, 'member_bounds'>): StoredBounds {
  if (text === '') return {};
  const parsed: StoredBounds = JSON.parse(text);
  return parsed;
}

export function stopOf({ member_stop: text = '' }: Pick<TokenRecord, 'member_stop'>): SetBy | undefined {
  if (text === '') return undefined;
  const parsed: SetBy = JSON.parse(text);
  return parsed;
}

/** Sum of the balance of a limited token and of what was charged to it. */
export function grantedOf(token: TokenRecord): number {
  return balanceOf(token) + (token.charged_quota ?? 0);
}

/** Whether what others have set binds the editor. */
export function isBound(token: Pick<TokenRecord, 'member_id'>, { person, member }: Membership): boolean {
  return token.member_id === person.id && member.role !== 'owner';
}

/**
 * Returns the bounds after an edit, for the record.
 * @throws {AppError} `token_limit_bound` if the edit widens what binds the editor
 */
export function boundChange(token: TokenRecord, edit: Edited, by: MemberEdit | undefined): Change<TokenRecord> {
  if (by === undefined || (token.member_id ?? 0) === 0) return { set: {} };
  const { membership, at } = by;
  const bounds = boundsOf(token);
  const after = { ...token, ...edit.fields };
  const changed = boundLimits.filter((limit) => isChanged(limit, token, edit));
  if (isBound(token, membership)) {
    for (const limit of changed) checkWithin(limit, bounds, { token, after, granted: edit.granted });
    return { set: {} };
  }
  const isOthers = token.member_id !== membership.person.id;
  for (const limit of changed) {
    Reflect.deleteProperty(bounds, limit);
    if (isOthers) Object.assign(bounds, boundBy(limit, after, { ...setBy(membership, at), granted: edit.granted }));
  }
  if (changed.length === 0) return { set: {} };
  return Object.keys(bounds).length === 0 ? { set: {}, unset: ['member_bounds'] } : { set: { member_bounds: JSON.stringify(bounds) } };
}

/**
 * Returns what an edit of the status stores besides the status.
 * @throws {AppError} `token_stopped` if another member has disabled it
 */
export function stopChange(token: TokenRecord, status: number, by: MemberEdit | undefined): Change<TokenRecord> {
  if (by === undefined) return { set: {} };
  const stop = stopOf(token);
  if (isBound(token, by.membership)) {
    if (stop !== undefined && status === TokenStatus.enabled) throw new AppError('token_stopped', { name: stop.name });
    return { set: {} };
  }
  if (status === TokenStatus.enabled) return { set: {}, unset: ['member_stop'] };
  const isOthers = (token.member_id ?? 0) !== 0 && token.member_id !== by.membership.person.id;
  return isOthers ? { set: { member_stop: JSON.stringify(setBy(by.membership, by.at)) } } : { set: {} };
}

function setBy({ person }: Membership, at: number): SetBy {
  return { by: person.id, name: person.display_name === '' ? person.username : person.display_name, at };
}

function isChanged(limit: BoundLimit, token: TokenRecord, { fields, granted }: Edited): boolean {
  if (limit === 'quota' && granted !== undefined && granted !== grantedOf(token)) return true;
  const [stored, given]: Readonly<Record<string, unknown>>[] = [{ ...token }, { ...fields }];
  return boundFields[limit].some((field) => given?.[field] !== undefined && (stored?.[field] || '') !== (given[field] || ''));
}

/** Empty if the limit is none. */
function boundBy(limit: BoundLimit, after: TokenRecord, { granted, ...by }: SetBy & { granted: number | undefined }): StoredBounds {
  const { model_limits_enabled: hasModels, allow_ips: ips, expired_time: expiry, unlimited_quota: isUnlimited } = after;
  const { session_budget: session = 0, rate_limits: rates = '', budgets = '' } = after;
  if (limit === 'quota') return isUnlimited ? {} : { quota: { ...by, value: granted ?? grantedOf(after) } };
  if (limit === 'models') return hasModels ? { models: { ...by, value: after.model_limits } } : {};
  if (limit === 'addresses') return ips === '' ? {} : { addresses: { ...by, value: ips } };
  if (limit === 'expiry') return expiry === -1 ? {} : { expiry: { ...by, value: expiry } };
  if (limit === 'session_budget') return session === 0 ? {} : { session_budget: { ...by, value: session } };
  if (limit === 'rate_limits') return rates === '' ? {} : { rate_limits: { ...by, value: rates } };
  return budgets === '' ? {} : { budgets: { ...by, value: budgets } };
}

function checkWithin(
  limit: BoundLimit,
  bounds: StoredBounds,
  { token, after, granted }: { token: TokenRecord; after: TokenRecord; granted: number | undefined },
): void {
  const set = bounds[limit];
  if (set === undefined || isWithin(limit, bounds, { after, granted: granted ?? grantedOf(token) })) return;
  const [field] = boundFields[limit];
  throw new AppError('token_limit_bound', { name: token.name, by: set.name }, { field: limit === 'quota' ? 'remain_quota' : field });
}

function isWithin(limit: BoundLimit, bounds: StoredBounds, { after, granted }: { after: TokenRecord; granted: number }): boolean {
  const { quota, models, addresses, expiry, session_budget: session, rate_limits: rates, budgets } = bounds;
  if (limit === 'quota') return !after.unlimited_quota && granted <= (quota?.value ?? 0);
  if (limit === 'models') return after.model_limits_enabled && isSubset(commaList(after.model_limits), commaList(models?.value ?? ''));
  if (limit === 'addresses') return isWithinAddresses(allowedAddresses(after.allow_ips), allowedAddresses(addresses?.value ?? ''));
  if (limit === 'expiry') return after.expired_time !== -1 && after.expired_time <= (expiry?.value ?? 0);
  const { session_budget: most = 0 } = after;
  if (limit === 'session_budget') return most > 0 && most <= (session?.value ?? 0);
  if (limit === 'rate_limits') return areRatesWithin(rateLimitsOf(after), rateLimitsOf({ rate_limits: rates?.value ?? '' }));
  return areBudgetsWithin(budgetsOf(after), budgetsOf({ budgets: budgets?.value ?? '' }));
}

function isSubset(names: readonly string[], of: readonly string[]): boolean {
  return names.every((name) => of.includes(name));
}

/** No addresses allow all. */
function isWithinAddresses(given: readonly string[], within: readonly string[]): boolean {
  const ranges = within.map(parseRange);
  return (
    given.length > 0 &&
    given.every((text) => {
      const [address, length] = parseRange(text);
      return ranges.some((range) => range[1] <= length && contains(range, address));
    })
  );
}

function areRatesWithin(given: readonly RateLimit[], within: readonly RateLimit[]): boolean {
  return within.every((bound) => given.some((one) => rateLimitKey(one) === rateLimitKey(bound) && one.amount <= bound.amount));
}

/** Another period, or other models, would begin with all of the amount. A budget that stops calls is the narrowest. */
function areBudgetsWithin(given: readonly Budget[], within: readonly Budget[]): boolean {
  return within.every((bound) =>
    given.some((one) => {
      const stops = one.at_end === 'stop';
      return one.amount <= bound.amount && termsOf(one, stops) === termsOf(bound, stops);
    }),
  );
}

/** Text of all but the amount, the name, the notices and, unless it matters, the end. */
function termsOf(budget: Budget, isWithoutEnd: boolean): string {
  const { amount: _amount, name: _name, notes: _notes, at_end: end, cheaper_models: cheaper, ...terms } = budget;
  const entries: [string, unknown][] = Object.entries(isWithoutEnd ? terms : { ...terms, at_end: end, cheaper_models: cheaper });
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Bounds of a token that gets the key of this one within its organisation: its balance begins with what is left, and without charges. */
export function movedBounds(token: TokenRecord): Pick<TokenRecord, 'member_bounds'> {
  const { quota, ...others } = boundsOf(token);
  const bounds = quota === undefined ? others : { ...others, quota: { ...quota, value: quota.value - (token.charged_quota ?? 0) } };
  return Object.keys(bounds).length === 0 ? {} : { member_bounds: JSON.stringify(bounds) };
}
