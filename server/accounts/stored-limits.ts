// Rate limits and budgets in the records of tokens and users: JSON texts with fields in one order, so that equal lists are equal texts.
import type { Budget } from '#shared/budgets.ts';
import type { RateLimit } from '#shared/rate-limits.ts';
import type { OrganisationMemberRecord, TeamRecord } from '#server/db/records/organisation.ts';

/** Record with limits of its own. Undefined or empty texts stand for none. */
export interface LimitedRecord {
  rate_limits?: string;
  budgets?: string;
}

/** Member and team of an organisation's token, with limits of their own. Null for none. */
export interface LimitedStanding {
  readonly member: OrganisationMemberRecord | null;
  readonly team: TeamRecord | null;
  /** Owner with whom the organisation counts where the site limits each user. */
  readonly ownerId?: number;
}

/** Id under which budgets and rate limits of a token count: it stays when its key is handed over within the account. */
export function countedId({ id, counts_as: former }: { id: number; counts_as?: number | undefined }): number {
  return former ?? id;
}

/** Reports whether the record has limits of any kind. */
export function hasLimits({ rate_limits: rates = '', budgets = '' }: LimitedRecord): boolean {
  return rates !== '' || budgets !== '';
}

/** Fields of an edit as they are stored; absent ones stay absent. */
export function storedLimits({
  rate_limits: rates,
  budgets,
}: {
  rate_limits?: readonly RateLimit[] | undefined;
  budgets?: readonly Budget[] | undefined;
}): LimitedRecord {
  return {
    ...(rates === undefined ? {} : { rate_limits: textOf(rates) }),
    ...(budgets === undefined ? {} : { budgets: textOf(budgets) }),
  };
}

export function rateLimitsOf({ rate_limits: text = '' }: LimitedRecord): RateLimit[] {
  return listOf<RateLimit>(text);
}

export function budgetsOf({ budgets: text = '' }: LimitedRecord): Budget[] {
  return listOf<Budget>(text);
}

function textOf(list: readonly object[]): string {
  return list.length === 0 ? '' : JSON.stringify(list.map(sorted));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries: [string, unknown][] = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]));
}

/** Only lists that a schema has checked are stored. */
function listOf<Item>(text: string): Item[] {
  if (text === '') return [];
  const list: Item[] = JSON.parse(text);
  return list;
}
