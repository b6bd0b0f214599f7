// Budgets that bind a caller, each with the key of its periods: the budget and whose spending it counts.
import type { Budget, SiteBudget } from '#shared/budgets.ts';
import { limitSettings } from '#shared/limit-settings.ts';
import { type LimitScope, limitScopes } from '#shared/rate-limits.ts';
import { budgetsOf, countedId } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import type { OrganisationMemberRecord, TeamRecord } from '#server/db/records/organisation.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Payer } from '#server/money/budgets.ts';
import { termsOf } from './period-bounds.ts';

export interface BoundBudget {
  /** `token:7:b1`, `member:4:b1`, `team:2:b1`, `user:3:b1`, `site:b2:all`, `site:b2:user:3`, `site:b2:token:7`, `site:b2:console:3`. A token's id is its `countedId`. */
  readonly key: string;
  readonly scope: LimitScope;
  readonly budget: Budget | SiteBudget;
  readonly terms: string;
  /** Account whose calls it counts; 0 for those of several. Of a member or a team: their organisation. */
  readonly userId: number;
  /** The budget is that of an organisation's account. */
  readonly isOfOrganisation?: boolean;
  /** Token that has the key now. */
  readonly tokenId: number;
}

export function budgetsOfToken(token: TokenRecord): BoundBudget[] {
  return budgetsOf(token).map((budget) => {
    const subject = { userId: token.user_id, tokenId: token.id };
    return { key: `token:${countedId(token)}:${budget.id}`, scope: 'token', budget, terms: termsOf(budget), ...subject };
  });
}

export function budgetsOfUser(user: UserRecord): BoundBudget[] {
  return budgetsOf(user).map((budget) => {
    const subject = { userId: user.id, tokenId: 0, ...(user.kind === 'organisation' ? { isOfOrganisation: true } : {}) };
    return { key: `user:${user.id}:${budget.id}`, scope: 'user', budget, terms: termsOf(budget), ...subject };
  });
}

/** Budgets of members or teams of an organisation. */
function budgetsOfPart(part: OrganisationMemberRecord | TeamRecord, scope: 'member' | 'team'): BoundBudget[] {
  return budgetsOf(part).map((budget) => {
    const subject = { userId: part.organisation_id, tokenId: 0 };
    return { key: `${scope}:${part.id}:${budget.id}`, scope, budget, terms: termsOf(budget), ...subject };
  });
}

/** Calls of the console, which have no token, are counted per user where others are counted per token. */
export function siteBudgetsOf(budgets: readonly SiteBudget[], { token, user, group }: Payer): BoundBudget[] {
  return budgets.flatMap((budget): BoundBudget[] => {
    const { id, groups, counted } = budget;
    if (groups !== undefined && !groups.includes(group)) return [];
    const of = { scope: 'site' as const, budget, terms: termsOf(budget) };
    if (counted === 'all') return [{ ...of, key: `site:${id}:all`, userId: 0, tokenId: 0 }];
    if (counted === 'user') return [{ ...of, key: `site:${id}:user:${user.id}`, userId: user.id, tokenId: 0 }];
    if (token === null) return [{ ...of, key: `site:${id}:console:${user.id}`, userId: user.id, tokenId: 0 }];
    return [{ ...of, key: `site:${id}:token:${countedId(token)}`, userId: user.id, tokenId: token.id }];
  });
}

/** Those of the site come last, because the most callers share them. */
export function boundBudgets(payer: Payer, site: readonly SiteBudget[]): BoundBudget[] {
  const ofToken = payer.token === null ? [] : budgetsOfToken(payer.token);
  const { member = null, team = null } = payer.standing ?? {};
  const ofMember = member === null ? [] : budgetsOfPart(member, 'member');
  const ofTeam = team === null ? [] : budgetsOfPart(team, 'team');
  return [...ofToken, ...ofMember, ...ofTeam, ...budgetsOfUser(payer.user), ...siteBudgetsOf(site, payer)];
}

/** Reports whether the budget counts calls of one token or one member: what is left of others is not for each holder of a key of an organisation. */
export function isOfMember({ scope, tokenId }: BoundBudget): boolean {
  return scope === 'token' || scope === 'member' || tokenId !== 0;
}

/** Parts of a key; null if it is not one. */
export function readKey(key: string): { scope: BoundBudget['scope']; id: string; counted: string; subject: number } | null {
  const own = /^(token|member|team|user):(\d{1,15}):([a-z0-9]{1,16})$/.exec(key);
  if (own !== null) {
    const scope = limitScopes.find((one) => one === own[1]) ?? 'user';
    return { scope, id: own[3] ?? '', counted: scope, subject: Number(own[2]) };
  }
  const site = /^site:([a-z0-9]{1,16}):(?:(all)|(user|token|console):(\d{1,15}))$/.exec(key);
  return site === null ? null : { scope: 'site', id: site[1] ?? '', counted: site[2] ?? site[3] ?? '', subject: Number(site[4] ?? 0) };
}

/** Reads the budget of a key as it is stored now; null if it was removed. */
export async function storedBudget({ db }: Pick<AppContext, 'db'>, key: string): Promise<BoundBudget | null> {
  const parts = readKey(key);
  if (parts === null) return null;
  if (parts.scope === 'site') {
    const row = await db.collection('options').get('SiteBudgets');
    const stored = row === null ? null : limitSettings.SiteBudgets.parse(row.value, 'SiteBudgets');
    const budget = stored?.ok === true ? stored.value.find(({ id }) => id === parts.id) : undefined;
    if (budget === undefined || (budget.counted !== parts.counted && !(budget.counted === 'token' && parts.counted === 'console')))
      return null;
    const ofToken = parts.counted === 'token';
    const token = ofToken ? await livingToken({ db }, parts.subject) : null;
    if (ofToken && token === null) return null;
    const userId = token?.user_id ?? parts.subject;
    return { key, scope: 'site', budget, terms: termsOf(budget), userId, tokenId: token?.id ?? 0 };
  }
  if (parts.scope === 'token') {
    const token = await livingToken({ db }, parts.subject);
    return token === null ? null : (budgetsOfToken(token).find((bound) => bound.key === key) ?? null);
  }
  if (parts.scope === 'member' || parts.scope === 'team') {
    const { scope } = parts;
    const part =
      scope === 'member' ? await db.collection('organisation_members').get(parts.subject) : await db.collection('teams').get(parts.subject);
    return part === null ? null : (budgetsOfPart(part, scope).find((bound) => bound.key === key) ?? null);
  }
  const user = await db.collection('users').get(parts.subject);
  return user === null || user.DeletedAt !== null ? null : (budgetsOfUser(user).find((bound) => bound.key === key) ?? null);
}

/** Token that counts under this id now: the key may have been handed over. Null if it was deleted, or moved to another account. */
async function livingToken({ db }: Pick<AppContext, 'db'>, counted: number): Promise<TokenRecord | null> {
  const tokens = db.collection('tokens');
  let token = await tokens.get(counted);
  while (token !== null && token.DeletedAt !== null) {
    // A move leads to a later token.
    const next: number | undefined = token.moved_to;
    token = next === undefined || next <= token.id ? null : await tokens.get(next);
  }
  return token === null || countedId(token) !== counted ? null : token;
}
