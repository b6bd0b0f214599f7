import { boundLimits, type Token } from '#shared/tokens.ts';
import { boundsOf, stopOf } from '#server/accounts/member-bounds.ts';
import { budgetsOf, rateLimitsOf } from '#server/accounts/stored-limits.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { heldOf } from './held-limits.ts';
import { oldKeysOf } from '#server/tokens/old-keys.ts';
import { effectiveStatus } from './token-status.ts';
import { balanceOf } from '#server/money/account.ts';

/** A token as its owner sees it, with its key. */
export function presentToken(context: Pick<AppContext, 'now' | 'secrets'>, record: TokenRecord): Token {
  return {
    ...presentKeyless(context, record),
    key: readKey(context, record),
    ...(record.key_ending === undefined ? {} : { key_ending: record.key_ending }),
  };
}

/** Everything but the key and its ending. */
export function presentKeyless(context: Pick<AppContext, 'now'>, record: TokenRecord): Omit<Token, 'key' | 'key_ending'> {
  return {
    id: record.id,
    user_id: record.user_id,
    ...standingOf(record),
    name: record.name,
    status: effectiveStatus(record, context.now()),
    created_time: record.created_time,
    accessed_time: record.accessed_time,
    expired_time: record.expired_time,
    remain_quota: balanceOf(record),
    unlimited_quota: record.unlimited_quota,
    used_quota: record.used_quota,
    charged_quota: record.charged_quota ?? 0,
    full_mark: record.full_mark,
    model_limits_enabled: record.model_limits_enabled,
    model_limits: record.model_limits,
    allow_ips: record.allow_ips,
    group: record.group,
    auto_groups: record.auto_groups ?? '',
    cross_group_retry: record.cross_group_retry ?? false,
    session_budget: record.session_budget ?? 0,
    rate_limits: rateLimitsOf(record),
    budgets: budgetsOf(record),
    old_key_until: accepted(record.old_key_until ?? 0, context.now()),
    earlier_keys_until: oldKeysOf(record)
      .slice(1)
      .map(({ until }) => accepted(until, context.now()))
      .filter((until) => until > 0),
    ...blockOf(record),
    ...(record.application === undefined ? {} : { application: record.application }),
    ...(record.held === undefined ? {} : { held: heldOf(record) }),
    ...setByMembers(record),
    DeletedAt: record.DeletedAt,
    revision: record.revision,
    ...(record.managed === undefined ? {} : { managed_by: record.managed.file, managed_left: record.managed.left }),
  };
}

/** Presents the token with a masked key, which only distinguishes tokens. */
export function presentMasked(context: Pick<AppContext, 'now' | 'secrets'>, record: TokenRecord): Token {
  const token = presentToken(context, record);
  return { ...token, key: token.key === '' ? '' : `${token.key.slice(0, 3)}**********${token.key.slice(-3)}` };
}

function standingOf({ member_id, team_id }: TokenRecord): Pick<Token, 'member_id' | 'team_id'> {
  return { ...(member_id === undefined ? {} : { member_id }), ...(team_id === undefined ? {} : { team_id }) };
}

/** What others who manage the organisation have set. */
function setByMembers(record: TokenRecord): Pick<Token, 'bounds' | 'stopped'> {
  const [set, stop] = [boundsOf(record), stopOf(record)];
  const bounds = boundLimits.flatMap((limit) => {
    const one = set[limit];
    return one === undefined ? [] : [{ limit, by: one.name, at: one.at }];
  });
  return { ...(bounds.length === 0 ? {} : { bounds }), ...(stop === undefined ? {} : { stopped: { by: stop.name, at: stop.at } }) };
}

function blockOf({ blocked_reason, blocked_time = 0 }: TokenRecord): Pick<Token, 'blocked_reason' | 'blocked_time'> {
  return blocked_reason === undefined ? {} : { blocked_reason, blocked_time };
}

function accepted(until: number, now: number): number {
  return until * 1000 > now ? until : 0;
}

/** Empty when the key was encrypted with another master key: such a token works no more, but can be seen and deleted. */
export function readKey({ secrets }: Pick<AppContext, 'secrets'>, record: TokenRecord): string {
  try {
    return secrets.decrypt(record.key_cipher, 'token_key');
  } catch {
    return '';
  }
}
