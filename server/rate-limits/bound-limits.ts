// The limits that bind a caller: those in the records of its token and its user, and those of the site that concern its group.
import { hash } from 'node:crypto';
import { concernsModel } from '#shared/limit-models.ts';
import { type LimitScope, type RateLimit, rateLimitKey, type RateWindow, type SiteRateLimit } from '#shared/rate-limits.ts';
import { countedId, type LimitedRecord, type LimitedStanding, rateLimitsOf } from '#server/accounts/stored-limits.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** Who calls. */
export interface LimitedCaller {
  /** Null: a call of the console. */
  readonly token: TokenRecord | null;
  readonly user: UserRecord;
  /** Group that pays. */
  readonly group: string;
  /** Member and team of an organisation's token, whose limits bind it, too. */
  readonly standing?: LimitedStanding | undefined;
}

export interface BoundLimit {
  readonly scope: LimitScope;
  readonly limit: RateLimit | SiteRateLimit;
  /** Id of its counter, without the window. */
  readonly key: string;
  /** Whether calls of other users count, so that what is left is not shown to callers. */
  readonly isShared: boolean;
}

/** Limits by the point at which they apply. */
export interface LimitSet {
  /** Of windows, the longest first, then those of parallel calls: the limit that refuses for the longest time is reported. */
  readonly counted: readonly BoundLimit[];
  readonly prompts: readonly BoundLimit[];
  readonly answers: readonly BoundLimit[];
  /** Whether all of them concern all models. */
  readonly isForAll: boolean;
}

export const windowMs: Readonly<Record<RateWindow, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

const compiled = new WeakMap<LimitedRecord, { text: string; set: LimitSet }>();

/** Returns the limits in a record. Parsed once per record that is in memory. */
export function limitsIn(record: LimitedRecord & { id: number; counts_as?: number }, scope: Exclude<LimitScope, 'site'>): LimitSet {
  const text = record.rate_limits ?? '';
  const known = compiled.get(record);
  if (known?.text === text) return known.set;
  const set = setOf(
    rateLimitsOf(record).map((limit) => ({ scope, limit, key: `rate:${scope}:${countedId(record)}:${shortHash(limit)}`, isShared: false })),
  );
  compiled.set(record, { text, set });
  return set;
}

export interface SiteLimit {
  readonly limit: SiteRateLimit;
  readonly hash: string;
}

export function compileSite(limits: readonly SiteRateLimit[]): SiteLimit[] {
  return limits.map((limit) => ({ limit, hash: shortHash(limit) }));
}

/** Returns the site's limits for the caller. */
export function siteLimitsFor(site: readonly SiteLimit[], caller: LimitedCaller): BoundLimit[] {
  const { token, user, group } = caller;
  const counted = countedUser(caller);
  return site
    .filter(({ limit: { groups } }) => groups === undefined || groups.includes(group))
    .map(({ limit, hash: id }) => {
      const key = `rate:site:${id}:`;
      if (limit.counted === 'all') return { scope: 'site', limit, key: `${key}all`, isShared: true };
      if (limit.counted === 'user') return { scope: 'site', limit, key: `${key}u${counted}`, isShared: counted !== user.id };
      return { scope: 'site', limit, key: token === null ? `${key}u${user.id}:console` : `${key}t${countedId(token)}`, isShared: false };
    });
}

/** User whose calls count together where the site limits each user: an organisation counts with an owner, or a person could multiply them by founding some. */
export function countedUser({ user, standing }: Pick<LimitedCaller, 'user' | 'standing'>): number {
  return standing?.ownerId ?? user.id;
}

export function setOf(limits: readonly BoundLimit[]): LimitSet {
  return {
    counted: limits.filter(({ limit: { meter } }) => meter !== 'input_tokens' && meter !== 'output_tokens').toSorted(byDuration),
    prompts: limits.filter(({ limit }) => limit.meter === 'input_tokens'),
    answers: limits.filter(({ limit }) => limit.meter === 'output_tokens'),
    isForAll: limits.every(({ limit }) => limit.models === undefined),
  };
}

export function joined(sets: readonly LimitSet[]): LimitSet {
  return {
    counted: sets.flatMap(({ counted }) => counted).toSorted(byDuration),
    prompts: sets.flatMap(({ prompts }) => prompts),
    answers: sets.flatMap(({ answers }) => answers),
    isForAll: sets.every(({ isForAll }) => isForAll),
  };
}

/** Returns the largest output tokens of each choice; undefined if no limit binds answers. */
export function longestAnswer({ answers }: LimitSet, choices: number): number | undefined {
  if (answers.length === 0) return undefined;
  const most = Math.min(...answers.map(({ limit }) => limit.amount));
  return Math.max(1, Math.floor(most / Math.max(1, choices)));
}

/** Returns the limits that concern a model. */
export function limitsOn(set: LimitSet, model: string): LimitSet {
  if (set.isForAll) return set;
  const concerned = ({ limit }: BoundLimit) => concernsModel(limit.models, model);
  return {
    counted: set.counted.filter(concerned),
    prompts: set.prompts.filter(concerned),
    answers: set.answers.filter(concerned),
    isForAll: true,
  };
}

export function isEmptySet({ counted, prompts, answers }: LimitSet): boolean {
  return counted.length === 0 && prompts.length === 0 && answers.length === 0;
}

function byDuration(a: BoundLimit, b: BoundLimit): number {
  return durationOf(b) - durationOf(a);
}

function durationOf({ limit }: BoundLimit): number {
  return 'per' in limit ? windowMs[limit.per] : 0;
}

function shortHash(limit: RateLimit | SiteRateLimit): string {
  return hash('sha256', rateLimitKey(limit), 'base64url').slice(0, 16);
}
