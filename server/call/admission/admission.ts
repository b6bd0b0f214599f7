// Permissions of a caller, who has a key or a console session.
import { AppError } from '#shared/errors.ts';
import { LRUCache } from 'lru-cache';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import { policiesOf, policyOf, type Standing } from '#server/accounts/memberships.ts';
import { parseRange } from '#server/network/addresses.ts';
import { hasLimits } from '#server/accounts/stored-limits.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** Admitted caller. Records may be cached: their balances must not be used, except to decide how closely a prompt is counted. */
export interface Admission {
  /** Token of the key; null for a call of the console, which only the user pays for. */
  readonly token: TokenRecord | null;
  /** Name of the token in the log. */
  readonly tokenName: string;
  readonly user: UserRecord;
  /** Group that determines the channels and the ratio, and is logged. */
  readonly group: string;
  /** Groups that a call of group `auto` may move on to, once the channels of `group` have failed. Undefined for none. */
  readonly furtherGroups?: readonly string[];
  /** Channel that an administrator pinned by the key's suffix. */
  readonly pinnedChannel: number | undefined;
  readonly models: ReadonlySet<string> | null;
  /** Whether the records of the token, the user, or the member and the team of an organisation have rate limits or budgets. */
  readonly isLimited: boolean;
  readonly ranges: readonly Range[] | null;
  /** Organisation, member and team of the token. Undefined for a token of a person. */
  readonly standing?: Standing;
  /** Restrictions of the organisation and the team besides those of the token, each of which a call must fit. Undefined for none. */
  readonly policies?: readonly CompiledPolicy[];
  /** Address that was allowed last, which is not checked again: most keys are used from one address. */
  readonly lastAddress: { allowed: string | undefined };
}

/** A policy as calls are compared with it. Null: no restriction. */
export interface CompiledPolicy {
  readonly models: ReadonlySet<string> | null;
  readonly groups: ReadonlySet<string> | null;
  readonly ranges: readonly Range[] | null;
  readonly storesNothing: boolean;
}

type Range = ReturnType<typeof parseRange>;

/** Admission by a key. */
export interface KeyAdmission extends Admission {
  readonly token: TokenRecord;
  /** Unix seconds until which the presented secret is accepted after its replacement; -1 for the current secret. */
  readonly secretUntil: number;
}

/** @param standing of a token of an organisation */
export function admissionOf(token: TokenRecord, user: UserRecord, secretUntil = -1, standing: Standing | null = null): KeyAdmission {
  const admission = ownAdmission(token, user, secretUntil);
  if (standing === null) return admission;
  const { member, team } = standing;
  const isLimited = admission.isLimited || (member !== null && hasLimits(member)) || (team !== null && hasLimits(team));
  return { ...admission, isLimited, standing, policies: policiesOf(standing).map(compiled) };
}

/** Reports whether a policy of the organisation or the team forbids to store anything of the calls. */
export function storesNothing({ policies }: Pick<Admission, 'policies'>): boolean {
  return policies?.some((policy) => policy.storesNothing) === true;
}

/** Refuses what the gateway or the provider would store. @throws {AppError} `storing_denied` */
export function checkStorage(admission: Pick<Admission, 'policies'>, field?: string): void {
  if (storesNothing(admission)) throw new AppError('storing_denied', {}, field === undefined ? {} : { field });
}

/** Reports whether the holder of the key may see the balance and the usage of the account: in an organisation, by the role of the member. */
export function seesAccount({ standing }: Pick<Admission, 'standing'>): boolean {
  if (standing === undefined) return true;
  return standing.member !== null && mayInOrganisation(standing.member.role, 'usage');
}

/** By text: keys of an organisation share a policy, which takes more memory than a key. */
const compiledPolicies = new LRUCache<string, CompiledPolicy>({ max: 500 });

function compiled(policy: string): CompiledPolicy {
  const known = compiledPolicies.get(policy);
  if (known !== undefined) return known;
  const { models, groups, addresses, stores_nothing: isStoringNothing = false } = policyOf({ policy });
  const made: CompiledPolicy = {
    models: models === undefined ? null : new Set(models),
    groups: groups === undefined ? null : new Set(groups),
    ranges: addresses === undefined ? null : rangesOf(addresses),
    storesNothing: isStoringNothing,
  };
  compiledPolicies.set(policy, made);
  return made;
}

function ownAdmission(token: TokenRecord, user: UserRecord, secretUntil: number): KeyAdmission {
  return {
    token,
    secretUntil,
    tokenName: token.name,
    user,
    group: token.group === '' ? user.group : token.group,
    pinnedChannel: undefined,
    models: token.model_limits_enabled ? new Set(splitList(token.model_limits)) : null,
    isLimited: hasLimits(token) || hasLimits(user),
    ranges: token.allow_ips.trim() === '' ? null : rangesOf(token.allow_ips.split('\n')),
    lastAddress: { allowed: undefined },
  };
}

/** Admission by a session. No rules of a key apply; the group is the user's unless the call names another. */
export function sessionAdmission(user: UserRecord, group = user.group): Admission {
  return {
    token: null,
    tokenName: `playground-${group}`,
    user,
    group,
    pinnedChannel: undefined,
    models: null,
    isLimited: hasLimits(user),
    ranges: null,
    lastAddress: { allowed: undefined },
  };
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function rangesOf(lines: readonly string[]): Range[] {
  return lines.map(rangeOf).filter((range) => range !== null);
}

/** Parses a line of the allowed addresses; null if invalid. A list with invalid lines only allows no address. */
function rangeOf(line: string): Range | null {
  const text = line.trim();
  if (text === '') return null;
  try {
    return parseRange(text);
  } catch {
    return null;
  }
}
