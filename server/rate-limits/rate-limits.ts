// Rate limits of tokens, users and the site: one engine for all kinds of calls. Counts are shared by all processes (docs/limits.md).
import type { RateLimitState } from '#shared/rate-limit-states.ts';
import type { LimitedRecord } from '#server/accounts/stored-limits.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { LimitsLeft } from '#server/surfaces/api-surface.ts';
import { leftIn } from './window-counter.ts';
import {
  type BoundLimit,
  compileSite,
  isEmptySet,
  joined,
  type LimitedCaller,
  limitsIn,
  limitsOn,
  type LimitSet,
  setOf,
  type SiteLimit,
  siteLimitsFor,
} from './bound-limits.ts';
import type { CounterServices } from './counter-services.ts';
import { Counters } from './counters.ts';
import { type CallAmounts, enterLimits, type RatePermit } from './permit.ts';

export interface RateLimitServices extends Omit<CounterServices, 'onHeld'> {
  readonly settings: Pick<Settings, 'get' | 'revision'>;
}

export class RateLimits {
  readonly #settings: RateLimitServices['settings'];
  readonly #now: () => number;
  readonly #counters: Counters;
  #site: { revision: number; limits: readonly SiteLimit[] } = { revision: -1, limits: [] };

  constructor(services: RateLimitServices) {
    this.#settings = services.settings;
    this.#now = services.now;
    this.#counters = new Counters(services);
  }

  /** Whether the setting has limits. Changes with the revision of the settings only. */
  get hasSiteLimits(): boolean {
    return this.#siteLimits().length > 0;
  }

  /** Counters in memory. */
  get size(): number {
    return this.#counters.size;
  }

  /** Returns the limits that bind the caller for calls of the model; null if there are none. */
  of(caller: LimitedCaller, model: string): LimitSet | null {
    const all = this.#allOf(caller);
    if (all === null) return null;
    const concerned = limitsOn(all, model);
    return isEmptySet(concerned) ? null : concerned;
  }

  /** Reports whether limits bind the caller for calls of some model. */
  binds(caller: LimitedCaller): boolean {
    return this.#allOf(caller) !== null;
  }

  /** Takes what a call needs, as `enterLimits`. */
  enter(limits: LimitSet, amounts: CallAmounts): RatePermit | Promise<RatePermit> {
    return enterLimits(this.#counters, limits, amounts);
  }

  /** Counts tokens of a call that began without a permit. */
  charge({ counted }: LimitSet, tokens: number): void {
    for (const bound of counted) if (bound.limit.meter === 'tokens') this.#counters.windowOf(bound)?.owe(tokens);
  }

  /** Returns what is left of the tightest limit of each meter, without those that others share. */
  left({ counted }: LimitSet): LimitsLeft {
    const left: LimitsLeft = {};
    for (const bound of counted) {
      const { limit, isShared } = bound;
      if (isShared || !('per' in limit)) continue;
      const window = this.#counters.windowOf(bound)?.window;
      if (window === undefined || window.readAt === -Infinity) continue;
      const remaining = leftIn(window, limit.amount);
      const known = left[limit.meter];
      if (known !== undefined && known.left < remaining) continue;
      const { endAt } = window;
      left[limit.meter] = { limit: limit.amount, left: remaining, resetAt: endAt, resetMs: Math.max(0, endAt - this.#now()) };
    }
    return left;
  }

  /** Returns the state of limits, as the shared counters have it. */
  async states({ counted, prompts, answers }: LimitSet): Promise<RateLimitState[]> {
    const states: RateLimitState[] = [];
    for (const bound of counted) {
      const { scope, limit } = bound;
      const window = this.#counters.windowOf(bound);
      const counter = window ?? this.#counters.placesOf(bound);
      await counter.refresh();
      const fullAt = window === null ? 0 : Math.ceil(window.window.endAt / 1000);
      states.push({ scope, limit, left: counter.left(limit.amount), full_at: fullAt });
    }
    for (const { scope, limit } of [...prompts, ...answers]) states.push({ scope, limit, left: limit.amount, full_at: 0 });
    return states;
  }

  /** Returns all limits that bind a caller. @param withShared includes those that count the calls of all users */
  allOf(caller: LimitedCaller, withShared: boolean): LimitSet {
    const all = this.#allOf(caller) ?? setOf([]);
    if (withShared) return all;
    const isOwn = ({ isShared }: BoundLimit) => !isShared;
    return { ...all, counted: all.counted.filter(isOwn) };
  }

  /** Returns the leases of this process. */
  stop(): Promise<void> {
    return this.#counters.stop();
  }

  #siteLimits(): readonly SiteLimit[] {
    const { revision } = this.#settings;
    if (this.#site.revision !== revision) this.#site = { revision, limits: compileSite(this.#settings.get('SiteRateLimits')) };
    return this.#site.limits;
  }

  #allOf(caller: LimitedCaller): LimitSet | null {
    const { token, user, standing } = caller;
    const ofToken = token === null || !limitsRates(token) ? null : limitsIn(token, 'token');
    const ofUser = limitsRates(user) ? limitsIn(user, 'user') : null;
    // Most callers have limits in one record.
    if (standing === undefined && (ofToken === null || ofUser === null) && this.#siteLimits().length === 0) return ofToken ?? ofUser;
    const { member = null, team = null } = standing ?? {};
    const ofMember = member === null || !limitsRates(member) ? null : limitsIn(member, 'member');
    const ofTeam = team === null || !limitsRates(team) ? null : limitsIn(team, 'team');
    const site = this.#siteLimits();
    const own = [ofToken, ofMember, ofTeam, ofUser].filter((set) => set !== null);
    if (site.length === 0 && own.length <= 1) return own[0] ?? null;
    return joined([...own, setOf(siteLimitsFor(site, caller))]);
  }
}

function limitsRates({ rate_limits: text = '' }: LimitedRecord): boolean {
  return text !== '';
}
