// Serves balance and usage like OpenAI's former dashboard API, by which many clients show the balance of a key. Exhausted and
// expired keys are accepted.
import { keyBudgets, tightestOf } from '#server/budgets/key-budgets.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import type { Connection } from '#server/http/connection.ts';
import { toAppError } from '#server/http/failure.ts';
import { callerLanguage } from '#server/http/language.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { balanceOf } from '#server/money/account.ts';
import type { AppContext } from '#server/context.ts';
import { type KeyAdmission, seesAccount } from '#server/call/admission/admission.ts';
import { errorResponse, gatewayError, requestIdHeaders } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';

interface Standing {
  /** In the displayed unit. */
  left: number;
  used: number;
  isEndless: boolean;
  /** Unix seconds; 0 for never. */
  until: number;
}

const prefixes = ['/dashboard/billing', '/v1/dashboard/billing'];
/** Balance reported for an unlimited key, in the displayed unit. */
const endless = 100_000_000;

export function mountBilling(host: RouteHost, { context, gate }: Pick<RelayServices, 'context' | 'gate'>): void {
  /** Returns the balance of the key, or of its owner, by the site's display settings; what the tightest budget has left if that is less. */
  async function standing(admission: KeyAdmission): Promise<Standing> {
    const known = balanceFor(context, admission);
    if (!admission.isLimited && !context.budgets.isOfSite) return known;
    const budget = tightestOf(await keyBudgets(context, admission, seesAccount(admission)));
    const left = budget === undefined ? Infinity : Math.max(0, budget.left) / unitOf(context);
    return left < Infinity && (known.isEndless || left < known.left) ? { ...known, left, isEndless: false } : known;
  }

  async function subscription(admission: KeyAdmission): Promise<object> {
    const { left, used, isEndless, until } = await standing(admission);
    const limit = isEndless ? endless : left + used;
    return {
      object: 'billing_subscription',
      has_payment_method: true,
      soft_limit_usd: limit,
      hard_limit_usd: limit,
      system_hard_limit_usd: limit,
      access_until: until,
    };
  }

  /** Usage of all time, in hundredths; the dates that clients send are ignored. */
  const usage = (admission: KeyAdmission): object => ({ object: 'list', total_usage: balanceFor(context, admission).used * 100 });

  async function answer(
    request: Request,
    connection: Connection | null,
    make: (admission: KeyAdmission) => object | Promise<object>,
  ): Promise<Response> {
    const facts = host.facts(request, connection);
    const headers = { 'cache-control': 'no-store', ...requestIdHeaders(surfaces.openai, facts.requestId) };
    try {
      await host.limit(facts, null);
      const admission = await gate.identify(request);
      return Response.json(await make(admission), { headers });
    } catch (failure) {
      const error = toAppError(failure, context, facts.requestId);
      const reported = gatewayError(error, callerLanguage(request.headers), facts.requestId);
      return errorResponse(surfaces.openai, reported, facts.requestId, error.retryAfter);
    }
  }

  for (const prefix of prefixes) {
    host.addDirect('GET', `${prefix}/subscription`, (request, _params, connection) => answer(request, connection, subscription));
    host.addDirect('GET', `${prefix}/usage`, (request, _params, connection) => answer(request, connection, usage));
  }
}

function unitOf({ settings }: Pick<AppContext, 'settings'>): number {
  return settings.get('DisplayInCurrencyEnabled') ? settings.get('QuotaPerUnit') : 1;
}

function balanceFor({ settings }: Pick<AppContext, 'settings'>, admission: KeyAdmission): Standing {
  const { token, user } = admission;
  const unit = unitOf({ settings });
  if (!settings.get('DisplayTokenStatEnabled') && seesAccount(admission))
    return { left: balanceOf(user) / unit, used: user.used_quota / unit, isEndless: false, until: 0 };
  return {
    left: balanceOf(token) / unit,
    used: token.used_quota / unit,
    isEndless: token.unlimited_quota,
    until: token.expired_time === -1 ? 0 : token.expired_time,
  };
}
