// Device codes for programs without a browser: RFC 8628.
import {
  codeSeconds,
  type DeviceRequest,
  type KeyGrant,
  shownUserCode,
  tidyUserCode,
  userCodeLength,
  userCodeLetters,
} from '#shared/app-authorizations.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { AppAuthorizationRecord } from '#server/db/records/app-authorization.ts';
import type { Caller, RequestFacts } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { enforceLimit, enforceSourceLimit } from '#server/http/rate-limit.ts';
import { checkDecider, recordDecision } from './approve-request.ts';
import { codeLength, credentialsOf, hashOfCode, isFull, lifetimeOf } from './code-records.ts';
import { checkGrant, storedGrant } from './grants.ts';
import { refuse } from './oauth-refusal.ts';
import { handOver, type Redeemed, refuseGuess } from './redeem-code.ts';

/** Requests of one address in the lifetime of a code: so many are open at once. */
const begun = { key: 'device-code-from', count: 30, windowSeconds: codeSeconds };
/** Polls of one address, where many devices may stand. */
const polls = { key: 'device-poll-from', count: 1200, windowSeconds: 600 };
/** User codes that are none: guesses of one account and of one address. */
const wrongOfAccount = { count: 10, windowSeconds: 1200 };
const wrongOfAddress = { key: 'user-code-from', count: 30, windowSeconds: 1200 };
/** Seconds between polls, and what each poll that is too early adds: RFC 8628, 3.5. */
const interval = 5;
const longestUserAgent = 200;
/** Of 20^8 codes at most 20,000 are open: a second draw is rare. */
const draws = 5;

export interface DeviceCodes {
  device_code: string;
  user_code: string;
  expires_in: number;
  interval: number;
}

/** @throws {OAuthRefusal} `temporarily_unavailable`; {AppError} `rate_limited` */
export async function beginDevice(
  context: AppContext,
  facts: RequestFacts,
  { client, name }: { client: string; name: string },
): Promise<DeviceCodes> {
  await enforceSourceLimit(context, facts, begun);
  if (await isFull(context)) return refuse('temporarily_unavailable', 'Too many requests wait for an answer, try again in some minutes');
  const deviceCode = context.randomText(codeLength);
  for (let draw = 1; ; draw += 1) {
    const userCode = newUserCode(context);
    try {
      await context.db.collection('app_authorizations').insert({
        id: hashOfCode(context, 'device', deviceCode),
        kind: 'device',
        state: 'pending',
        user_code_hash: hashOfCode(context, 'user', userCode),
        client,
        name,
        ip: facts.ip,
        user_agent: (facts.headers.get('user-agent') ?? '').replace(/\p{C}/gu, '').slice(0, longestUserAgent),
        ...lifetimeOf(context.now()),
        poll_at: 0,
        interval,
      });
      return { device_code: deviceCode, user_code: shownUserCode(userCode), expires_in: codeSeconds, interval };
    } catch (failure) {
      if (!(failure instanceof UniqueConflict) || draw === draws) throw failure;
    }
  }
}

/** Letters by rejection, so that each is as likely. */
function newUserCode({ randomText }: Pick<AppContext, 'randomText'>): string {
  let code = '';
  while (code.length < userCodeLength)
    code += randomText(32)
      .replace(/[^A-Z]/g, '')
      .replace(new RegExp(`[^${userCodeLetters}]`, 'g'), '');
  return code.slice(0, userCodeLength);
}

/** @throws {OAuthRefusal} `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, `invalid_grant` */
export async function pollDevice(
  context: AppContext,
  facts: RequestFacts,
  { deviceCode, client }: { deviceCode: string; client: string },
): Promise<Redeemed> {
  await enforceSourceLimit(context, facts, {
    ...polls,
    refuse: () => new AppError('rate_limited', {}, { retryAfter: interval }),
  });
  const records = context.db.collection('app_authorizations');
  const record = deviceCode === '' ? null : await records.get(hashOfCode(context, 'device', deviceCode));
  if (record === null || record.kind !== 'device' || record.client !== client) return refuseGuess(context, facts);
  const now = context.now();
  if (record.state === 'denied') return refuse('access_denied', 'The person refused');
  if (record.state === 'redeemed') return handOver(context, facts, record);
  if (record.expires_at <= now) return refuse('expired_token', 'The device code has expired: begin again');
  if (record.state === 'approved') return handOver(context, facts, record);
  const { poll_at: due = 0, interval: seconds = interval } = record;
  const isEarly = now < due;
  const next = seconds + (isEarly ? interval : 0);
  // A second is forgiven: clocks and networks are not exact.
  await records.patch({ id: record.id, state: 'pending' }, { set: { interval: next, poll_at: now + (next - 1) * 1000 } });
  return isEarly
    ? refuse('slow_down', `Poll every ${next} seconds at most`)
    : refuse('authorization_pending', 'The person has not decided yet');
}

/** @throws {AppError} `user_code_invalid`, `rate_limited` */
async function findDevice(context: AppContext, { user }: Caller, facts: RequestFacts, typed: string): Promise<AppAuthorizationRecord> {
  const code = tidyUserCode(typed);
  const record =
    code === undefined
      ? null
      : await context.db.collection('app_authorizations').first({ user_code_hash: hashOfCode(context, 'user', code) });
  if (record !== null && record.state === 'pending' && record.expires_at > context.now()) return record;
  await enforceLimit(context, { key: `user-code:${user.id}`, ...wrongOfAccount });
  await enforceSourceLimit(context, facts, wrongOfAddress);
  throw new AppError('user_code_invalid', {}, { field: 'user_code' });
}

/** @throws {AppError} `user_code_invalid`, `rate_limited`, `access_token_not_supported` */
export async function openDevice(context: AppContext, caller: Caller, facts: RequestFacts, typed: string): Promise<DeviceRequest> {
  if (caller.sessionId === null) throw new AppError('access_token_not_supported');
  await refuseGuesser(context, caller);
  const { name, client, ip, user_agent, created_at, expires_at } = await findDevice(context, caller, facts, typed);
  return {
    name,
    client,
    ip,
    user_agent,
    is_same_network: subscriberOf(ip) === subscriberOf(facts.ip),
    created_at: Math.floor(created_at / 1000),
    expires_at: Math.floor(expires_at / 1000),
  };
}

/** Who has guessed too often learns nothing of a code that is right, either. @throws {AppError} `rate_limited` */
async function refuseGuesser(context: AppContext, { user }: Caller): Promise<void> {
  const window = await context.db.collection('limits').get(`user-code:${user.id}`);
  if (window === null || window.count <= wrongOfAccount.count || window.reset_at <= context.now()) return;
  throw new AppError('rate_limited', {}, { retryAfter: Math.ceil((window.reset_at - context.now()) / 1000) });
}

/** @throws {AppError} `user_code_invalid`, `rate_limited`, `access_token_not_supported`, and as `checkGrant` */
export async function decideDevice(
  context: AppContext,
  caller: Caller,
  facts: RequestFacts,
  { userCode, grant }: { userCode: string; grant: KeyGrant | undefined },
): Promise<void> {
  await checkDecider(context, caller);
  await refuseGuesser(context, caller);
  const record = await findDevice(context, caller, facts, userCode);
  if (grant !== undefined) await checkGrant(context, caller.user, grant, record);
  const decided: Partial<AppAuthorizationRecord> =
    grant === undefined
      ? { state: 'denied' }
      : {
          state: 'approved',
          user_id: caller.user.id,
          credentials: credentialsOf(context, caller.user),
          grant: storedGrant(grant),
        };
  // The user code is void from now on.
  const stored = await context.db
    .collection('app_authorizations')
    .patch({ id: record.id, state: 'pending' }, { set: decided, unset: ['user_code_hash'] });
  if (stored === null) throw new AppError('user_code_invalid', {}, { field: 'user_code' });
  await recordDecision(context, caller, { isAllowed: grant !== undefined, name: record.name, target: record.ip });
}
