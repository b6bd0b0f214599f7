import { z } from 'zod/mini';
import { auditKinds } from '#shared/audit-spec.ts';
import { midnight } from '#pwa/ui/local-days.ts';
import { ListSearch, SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

export const ranges = ['today', 'week', 'month', 'all', 'custom'] as const;
export type AuditRange = (typeof ranges)[number];
export const defaultRange: AuditRange = 'week';

export const systemChoices = ['hidden'] as const;

/** Search parameters of the audit log. */
export const AuditSearch = z.extend(ListSearch, {
  range: z.catch(z.optional(z.enum(ranges)), undefined),
  /** Bounds of a custom range, unix seconds, both inclusive. */
  from: SearchInt,
  to: SearchInt,
  keyword: SearchText,
  actor: SearchText,
  kind: z.catch(z.optional(z.enum(auditKinds)), undefined),
  /** `<kind>:<id>`, at any time. */
  object: SearchText,
  /** What the system does. */
  system: z.catch(z.optional(z.enum(systemChoices)), undefined),
  /** Where the page begins. */
  after: SearchText,
  /** Tab of the panel. */
  tab: z.catch(z.optional(z.enum(['history'])), undefined),
});
export type AuditSearch = z.infer<typeof AuditSearch>;

export const noFilters = { keyword: undefined, actor: undefined, kind: undefined, object: undefined, system: undefined } as const;

export function countFilters({ keyword, actor, kind, object, system }: AuditSearch): number {
  return [keyword, actor, kind, object, system].filter((filter) => filter !== undefined).length;
}

export interface AuditFilters {
  keyword?: string | undefined;
  actor?: string | undefined;
  kind?: AuditSearch['kind'];
  object?: string | undefined;
  system?: AuditSearch['system'];
  /** As a name, so that stored responses do not depend on the clock. */
  range: AuditRange;
  from?: number | undefined;
  to?: number | undefined;
}

/** List of an address. */
export function auditFiltersOf({ keyword, actor, kind, object, system, range = defaultRange, from, to }: AuditSearch): AuditFilters {
  const bounds = range === 'custom' ? { from, to } : {};
  return { keyword, actor, kind, object, system, range: object === undefined ? range : 'all', ...bounds };
}

/** Query values at a moment (milliseconds). */
export function serverFilters({ system, range, from, to, ...filters }: AuditFilters, now: number) {
  return { ...filters, ...(system === undefined ? {} : { without_system: true }), ...boundsOf({ range, from, to }, now) };
}

function boundsOf({ range, from, to }: Pick<AuditFilters, 'range' | 'from' | 'to'>, now: number) {
  if (range === 'today') return { start_timestamp: midnight(now) };
  if (range === 'week') return { start_timestamp: midnight(now, -6) };
  if (range === 'month') return { start_timestamp: midnight(now, -29) };
  return range === 'custom' ? { start_timestamp: from, end_timestamp: to } : {};
}
