import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { z } from 'zod/mini';
import type { BudgetState } from '#shared/budget-states.ts';
import { type Budget, Budgets, type SiteBudget, SiteBudgets } from '#shared/budgets.ts';
import { type RateLimit, RateLimits, type SiteRateLimit, SiteRateLimits } from '#shared/rate-limits.ts';
import type { Format } from '#pwa/ui/billing/format.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import type { BudgetStanding } from './budget-standing.ts';
import { hasCalendar } from './limit-drafts.ts';

/** Fields and settings with lists of limits. */
export type LimitField = 'budgets' | 'rate_limits' | 'SiteBudgets' | 'SiteRateLimits';
type AnyBudget = Budget | SiteBudget;
type AnyRate = RateLimit | SiteRateLimit;
interface Concerned {
  models?: readonly string[] | undefined;
  groups?: readonly string[] | undefined;
}

/** Rate limits and budgets in words. */
export function useLimitWords() {
  const { t, i18n } = useTranslation();
  const format = useFormat();
  const names = limitNames(t);
  return {
    ...names,
    ...standingWords(t, format),
    ...limitTexts(t, { format, names, areLoaded: () => i18n.exists('limits.none') }),
  };
}

/** Settings whose text `stored` puts into words. */
export function isLimitSetting(key: string): key is 'SiteBudgets' | 'SiteRateLimits' {
  return key === 'SiteBudgets' || key === 'SiteRateLimits';
}

function limitNames(t: TFunction) {
  return {
    /** `Month`, or the name that it was given. */
    budgetName: ({ name, period }: Pick<Budget, 'name' | 'period'>): string =>
      name === undefined || name === '' ? t(`limits.period.${period}`) : name,
    /** `Requests per minute`. */
    rateName: (limit: { meter: AnyRate['meter']; per?: string }): string =>
      t(limit.per === undefined ? `limits.meter.${limit.meter}` : `limits.meter.${limit.meter}_${limit.per}`),
    /** Groups and models that a limit concerns; '' : all. */
    concerns: ({ models = [], groups = [] }: Concerned): string =>
      [...groups.map((name) => t('limits.of_group', { name })), ...models].join(t('limits.text.comma')),
  };
}

interface TextParts {
  format: Format;
  names: ReturnType<typeof limitNames>;
  areLoaded: () => boolean;
}

/** Whole lists, for comparisons and the audit log. */
function limitTexts(t: TFunction, { format, names, areLoaded }: TextParts) {
  const list = (parts: readonly string[]): string => (parts.length === 0 ? t('limits.none') : parts.join(t('limits.text.separator')));
  function withScope(text: string, limit: AnyBudget | AnyRate): string {
    const parts = [names.concerns(limit), 'counted' in limit ? t(`limits.counted.${limit.counted}`) : ''];
    const scope = parts.filter((part) => part !== '').join(t('limits.text.comma'));
    return scope === '' ? text : t('limits.text.scope', { text, scope });
  }
  /** `Month $120.00, stops`. */
  const budgets = (all: readonly AnyBudget[] = []): string =>
    list(
      all.map((budget) => {
        const parts = { name: names.budgetName(budget), amount: format.quota(budget.amount), end: t(`limits.end.${budget.at_end}`) };
        return withScope(t('limits.text.budget', parts), budget);
      }),
    );
  /** `Requests per minute: 600`. */
  const rates = (all: readonly AnyRate[] = []): string =>
    list(all.map((limit) => withScope(t('limits.text.rate', { name: names.rateName(limit), amount: format.count(limit.amount) }), limit)));
  return {
    budgets,
    rates,
    /** A stored JSON text in words. Undefined: the text is no such list, or the words are not loaded. */
    stored(field: LimitField, text: string): string | undefined {
      if (!areLoaded()) return undefined;
      const value = text === '' ? [] : jsonOf(text);
      if (field === 'budgets' || field === 'SiteBudgets') {
        const parsed = z.safeParse(z.union([Budgets, SiteBudgets]), value);
        return parsed.success ? budgets(parsed.data) : undefined;
      }
      const parsed = z.safeParse(z.union([RateLimits, SiteRateLimits]), value);
      return parsed.success ? rates(parsed.data) : undefined;
    },
  };
}

/** Moments of a period: a distance within a day, a date beyond. */
function standingWords(t: TFunction, format: Format) {
  /** `3 h 12 min`, `14 min`, `18 s`. */
  function distance(seconds: number): string {
    if (seconds < 60) return t('limits.time.seconds', { seconds: Math.max(1, Math.ceil(seconds)) });
    const minutes = Math.ceil(seconds / 60);
    if (minutes < 60) return t('limits.time.minutes', { minutes });
    return t('limits.time.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
  }
  const isNear = (at: number, now: number): boolean => at - now < 86_400;
  return {
    distance,
    resets({ ends_at: until, starts_at: from, budget }: Pick<BudgetState, 'starts_at' | 'ends_at' | 'budget'>, now: number): string {
      if (from === 0)
        return t(hasCalendar(budget.period) && budget.starts === 'calendar' ? 'limits.standing.unused' : 'limits.standing.idle');
      if (until === 0) return t('limits.standing.never');
      if (until <= now) return t('limits.standing.over');
      return isNear(until, now)
        ? t('limits.standing.resets_in', { time: distance(until - now) })
        : t('limits.standing.resets_on', { date: format.day(until) });
    },
    empties({ emptyAt: at }: BudgetStanding, now: number): string | undefined {
      if (at === undefined) return undefined;
      return isNear(at, now)
        ? t('limits.standing.empty_in', { time: distance(at - now) })
        : t('limits.standing.empty_on', { date: format.day(at) });
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
