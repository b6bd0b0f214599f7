// What a key may still spend, for its holder: `GET /v1/usage`, and calls of other gateways that clients know, OpenRouter's `/v1/key` and LiteLLM's
// `/key/info` and `/user/info`. Amounts are US dollars; exhausted and expired keys are accepted.
import { type KeyBudget, keyBudgets, tightestOf } from '#server/budgets/key-budgets.ts';
import { type KeyAdmission, seesAccount } from '#server/call/admission/admission.ts';
import { errorResponse, gatewayError, requestIdHeaders } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Connection } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import { callerLanguage } from '#server/http/language.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { balanceOf } from '#server/money/account.ts';
import { surfaces } from '#server/surfaces/registry.ts';

interface Standing {
  admission: KeyAdmission;
  budgets: readonly KeyBudget[];
  /** Converts quota to US dollars. */
  dollars(quota: number): number;
}

export function mountKeyUsage(host: RouteHost, { context, gate }: Pick<RelayServices, 'context' | 'gate'>): void {
  async function answer(request: Request, connection: Connection | null, present: (standing: Standing) => object): Promise<Response> {
    const facts = host.facts(request, connection);
    const headers = { 'cache-control': 'no-store', ...requestIdHeaders(surfaces.openai, facts.requestId) };
    try {
      await host.limit(facts, null);
      const admission = await gate.identify(request);
      const budgets = await keyBudgets(context, admission, seesAccount(admission));
      const quotaPerUnit = context.settings.get('QuotaPerUnit');
      return Response.json(present({ admission, budgets, dollars: (quota) => quota / quotaPerUnit }), { headers });
    } catch (failure) {
      const error = toAppError(failure, context, facts.requestId);
      const reported = gatewayError(error, callerLanguage(request.headers), facts.requestId);
      return errorResponse(surfaces.openai, reported, facts.requestId, error.retryAfter);
    }
  }

  host.addDirect('GET', '/v1/usage', (request, _params, connection) => answer(request, connection, presentUsage));
  host.addDirect('GET', '/v1/key', (request, _params, connection) => answer(request, connection, presentForOpenRouter));
  host.addDirect('GET', '/key/info', (request, _params, connection) => answer(request, connection, presentForLiteLlm));
  for (const path of ['/user/info', '/v2/user/info'])
    host.addDirect('GET', path, (request, _params, connection) => answer(request, connection, presentUserForLiteLlm));
}

function presentUsage({ admission, budgets, dollars }: Standing): object {
  const { token, user } = admission;
  return {
    object: 'usage',
    key: {
      name: token.name,
      used: dollars(token.used_quota),
      // Null: no limit of its own.
      remaining: token.unlimited_quota ? null : dollars(balanceOf(token)),
      expires_at: token.expired_time === -1 ? null : token.expired_time,
    },
    ...(seesAccount(admission) ? { account: { used: dollars(user.used_quota), remaining: dollars(balanceOf(user)) } } : {}),
    budgets: budgets.map(({ scope, budget, amount, left, used, starts_at, ends_at }) => ({
      scope,
      name: budget.name ?? budget.id,
      period: budget.period,
      limit: dollars(amount),
      remaining: dollars(Math.max(0, left)),
      used: dollars(used),
      starts_at: starts_at === 0 ? null : starts_at,
      resets_at: ends_at === 0 ? null : ends_at,
      at_end: budget.at_end,
      ...(budget.models === undefined ? {} : { models: budget.models }),
    })),
  };
}

/** Limit of the key: its balance, or the tightest budget if that has less; undefined if it has neither. Quota. */
function limitOf({ admission: { token }, budgets }: Standing): { limit: number; left: number; budget: KeyBudget | undefined } | undefined {
  const budget = tightestOf(budgets);
  const left = token.unlimited_quota ? Infinity : balanceOf(token);
  if (budget !== undefined && budget.left <= left) return { limit: budget.amount, left: Math.max(0, budget.left), budget };
  return left === Infinity ? undefined : { limit: left + token.used_quota, left: Math.max(0, left), budget: undefined };
}

const resets: Readonly<Partial<Record<string, string>>> = { day: 'daily', week: 'weekly', month: 'monthly' };

/** https://openrouter.ai/docs/api-reference/limits */
function presentForOpenRouter(standing: Standing): object {
  const { admission, dollars } = standing;
  const limit = limitOf(standing);
  return {
    data: {
      label: admission.token.name,
      usage: dollars(admission.token.used_quota),
      limit: limit === undefined ? null : dollars(limit.limit),
      limit_remaining: limit === undefined ? null : dollars(limit.left),
      limit_reset: resets[limit?.budget?.budget.period ?? ''] ?? null,
      is_free_tier: false,
    },
  };
}

const durations: Readonly<Partial<Record<string, string>>> = { five_hours: '5h', day: '1d', week: '7d', month: '1mo' };

/** https://docs.litellm.ai/docs/proxy/virtual_keys */
function presentForLiteLlm(standing: Standing): object {
  return { info: keyForLiteLlm(standing) };
}

function keyForLiteLlm(standing: Standing): object {
  const { admission, dollars } = standing;
  const { token, models } = admission;
  const limit = limitOf(standing);
  return {
    key_alias: token.name,
    ...spendForLiteLlm({ used: limit?.budget?.used ?? token.used_quota, limit: limit?.limit, budget: limit?.budget }, dollars),
    expires: token.expired_time === -1 ? null : new Date(token.expired_time * 1000).toISOString(),
    models: models === null ? [] : [...models],
    blocked: false,
  };
}

/** The person: in an organisation the member, with the budget that binds all of the member's keys. https://docs.litellm.ai/docs/proxy/users */
function presentUserForLiteLlm(standing: Standing): object {
  const { admission, budgets, dollars } = standing;
  const { user, token } = admission;
  const sees = seesAccount(admission);
  const id = String(token.member_id === undefined || token.member_id === 0 ? user.id : token.member_id);
  const budget = tightestOf(budgets.filter(({ scope }) => scope !== 'token' && (sees || scope === 'member')));
  const left = sees ? balanceOf(user) : Infinity;
  const spend =
    budget !== undefined && budget.left <= left
      ? { used: budget.used, limit: budget.amount, budget }
      : { used: sees ? user.used_quota : undefined, limit: sees ? user.used_quota + Math.max(0, left) : undefined, budget: undefined };
  const keys = [{ ...keyForLiteLlm(standing), user_id: id, team_id: null }];
  return {
    user_id: id,
    user_info: { user_id: id, user_alias: null, user_email: null, ...spendForLiteLlm(spend, dollars), models: [], teams: [] },
    keys,
    teams: [],
  };
}

interface Spend {
  /** Quota; undefined if the key may not see it, or if there is no limit. */
  used: number | undefined;
  limit: number | undefined;
  budget: KeyBudget | undefined;
}

function spendForLiteLlm({ used, limit, budget }: Spend, dollars: Standing['dollars']): object {
  const ends = budget?.ends_at ?? 0;
  return {
    spend: used === undefined ? null : dollars(used),
    max_budget: limit === undefined ? null : dollars(limit),
    budget_duration: durations[budget?.budget.period ?? ''] ?? null,
    budget_reset_at: ends === 0 ? null : new Date(ends * 1000).toISOString(),
  };
}
