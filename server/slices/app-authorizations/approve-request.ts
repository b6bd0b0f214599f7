// A person allows an application a key: the code that its callback receives is made.
import { type AppRequest, callbackPlace, callbackWith, type KeyGrant, tidyAppName } from '#shared/app-authorizations.ts';
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { recordAudit } from '#server/audit-log/entries.ts';
import type { AppContext } from '#server/context.ts';
import type { Caller } from '#server/http/call.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import { codeLength, credentialsOf, hashOfCode, lifetimeOf } from './code-records.ts';
import { checkGrant, storedGrant } from './grants.ts';

/** Decisions of one account. */
const decisions = { count: 60, windowSeconds: 3600 };

/** Only a person at the console allows: an access token could hand its rights on to a key that outlives it. @throws {AppError} */
export async function checkDecider(context: AppContext, { user, sessionId }: Caller): Promise<void> {
  if (sessionId === null) throw new AppError('access_token_not_supported');
  await enforceLimit(context, { key: `app-decisions:${user.id}`, ...decisions });
}

/** Returns the address that the browser is sent to. `issuer`: for the standard form (RFC 9207). @throws {AppError} `invalid_field`, and as `checkGrant` */
export async function approveRequest(
  context: AppContext,
  caller: Caller,
  { request, grant, issuer, ip, userAgent }: { request: AppRequest; grant: KeyGrant; issuer: string; ip: string; userAgent: string },
): Promise<string> {
  await checkDecider(context, caller);
  const place = callbackPlace(request.callback);
  if (place === undefined) throw invalidField('request.callback', fieldRules.invalid);
  await checkGrant(context, caller.user, grant, request);
  const name = tidyAppName(request.name);
  const code = context.randomText(codeLength);
  await context.db.collection('app_authorizations').insert({
    id: hashOfCode(context, 'code', code),
    kind: 'code',
    state: 'approved',
    client: request.client,
    name,
    callback: request.callback,
    challenge: request.challenge,
    ip,
    user_agent: userAgent,
    user_id: caller.user.id,
    credentials: credentialsOf(context, caller.user),
    grant: storedGrant(grant),
    ...lifetimeOf(context.now()),
  });
  await recordDecision(context, caller, { isAllowed: true, name, target: place.shown });
  return callbackWith(request.callback, { code, state: request.state, ...(request.form === 'oauth' ? { iss: issuer } : {}) });
}

export function recordDecision(
  context: AppContext,
  { user }: Caller,
  { isAllowed, name, target }: { isAllowed: boolean; name: string; target: string },
): Promise<void> {
  return recordAudit(context, {
    kind: 'token',
    action: isAllowed ? 'authorized' : 'refused',
    name,
    rank: user.role,
    changes: target === '' ? [] : [{ field: 'application', after: target }],
  });
}
