// The key is made when it is fetched, once. Of two redemptions one wins the record; the other marks it, so that the key of the first is deleted whichever
// of them is faster (RFC 6749, 4.1.2).
import { createHash } from 'node:crypto';
import { callbackPlace } from '#shared/app-authorizations.ts';
import { AppError } from '#shared/errors.ts';
import { UserStatus } from '#shared/user.ts';
import { actingAs } from '#server/audit-log/actor.ts';
import type { AppContext } from '#server/context.ts';
import type { AppAuthorizationRecord } from '#server/db/records/app-authorization.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { deleteTokens } from '#server/features/tokens/delete-tokens.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { enforceSourceLimit } from '#server/http/rate-limit.ts';
import { credentialsOf, hashOfCode, isSameText, mostWrong } from './code-records.ts';
import { carryOut, type HandedKey, readGrant, refOf } from './grants.ts';
import { refuse } from './oauth-refusal.ts';

/** Codes that are none, from one address. */
const wrongCodes = { key: 'app-code-from', count: 60, windowSeconds: 1200 };

/** RFC 7636, 4.1. */
const verifierPattern = /^[A-Za-z0-9\-._~]{43,128}$/;

export interface Redemption {
  code: string;
  verifier: string;
  /** Undefined: the request has none, as in OAuth 2.1 and at OpenRouter. */
  callback?: string | undefined;
  /** Undefined: the form of OpenRouter has none. */
  client?: string | undefined;
}

export interface Redeemed extends HandedKey {
  user: UserRecord;
}

/** @throws {OAuthRefusal} `invalid_grant`; {AppError} `rate_limited` */
export async function redeemCode(context: AppContext, facts: RequestFacts, given: Redemption): Promise<Redeemed> {
  const records = context.db.collection('app_authorizations');
  const record = given.code === '' ? null : await records.get(hashOfCode(context, 'code', given.code));
  if (record === null || record.kind !== 'code' || record.expires_at <= context.now()) return refuseGuess(context, facts);
  if (!isFrom(record, given)) {
    const { wrong = 0 } = (await records.patch({ id: record.id }, { increment: { wrong: 1 } })) ?? {};
    if (wrong >= mostWrong) await records.remove({ id: record.id, state: 'approved' });
    return refuseGuess(context, facts);
  }
  return handOver(context, facts, record);
}

/** What does not prove the challenge is no redemption: it must not end the key of the application that did. */
function isFrom({ challenge = '', callback, client }: AppAuthorizationRecord, given: Redemption): boolean {
  const isVerified =
    verifierPattern.test(given.verifier) && isSameText(createHash('sha256').update(given.verifier).digest('base64url'), challenge);
  const isForClient = isSameText(given.client ?? '', client);
  return isVerified && isForClient && (given.callback === undefined || given.callback === callback);
}

export async function refuseGuess(context: AppContext, facts: RequestFacts): Promise<never> {
  await enforceSourceLimit(context, facts, wrongCodes);
  return refuse('invalid_grant', 'The code is wrong, used, or too old, or was issued to another client');
}

/** Claims the record and makes the key. @throws {OAuthRefusal} `invalid_grant` */
export async function handOver(context: AppContext, facts: RequestFacts, { id }: Pick<AppAuthorizationRecord, 'id'>): Promise<Redeemed> {
  const records = context.db.collection('app_authorizations');
  const claimed = await records.patch({ id, state: 'approved', expires_at: { gt: context.now() } }, { set: { state: 'redeemed' } });
  if (claimed === null) return endReplayed(context, facts, id);
  const user = await context.db.collection('users').get(claimed.user_id ?? 0);
  const isActive = user !== null && user.DeletedAt === null && user.status === UserStatus.active;
  if (!isActive || claimed.credentials !== credentialsOf(context, user)) {
    return refuse('invalid_grant', 'The account that allowed this is not active, or has a new password');
  }
  return asUser(facts, user, 'created', async () => {
    const handed = await make(context, facts, { record: claimed, user });
    const noted = await records.patch({ id, replayed: { exists: false } }, { set: { token_id: handed.token.id } });
    if (noted !== null) return { ...handed, user };
    await deleteTokens(context, user.id, [handed.token.id]);
    return refuse('invalid_grant', 'The code was used twice');
  });
}

async function make(
  context: AppContext,
  facts: RequestFacts,
  { record, user }: { record: AppAuthorizationRecord; user: UserRecord },
): Promise<HandedKey> {
  const application = {
    name: record.name,
    target: callbackPlace(record.callback ?? '')?.shown ?? '',
    way: record.kind === 'device' ? ('device' as const) : ('redirect' as const),
    ref: refOf(record),
    ip: facts.ip,
    at: Math.floor(context.now() / 1000),
  };
  try {
    return await carryOut(context, user, { grant: readGrant(record.grant), requested: record, application });
  } catch (failure) {
    // The account lost the right, the room, or the key since.
    if (failure instanceof AppError && failure.status < 500) {
      return refuse('invalid_grant', `The key could not be made (${failure.code}): request it again`);
    }
    throw failure;
  }
}

/** Handles a second redemption: another party has the code. */
async function endReplayed(context: AppContext, facts: RequestFacts, id: string): Promise<never> {
  const record = await context.db.collection('app_authorizations').patch({ id, state: 'redeemed' }, { set: { replayed: true } });
  const user = record?.user_id === undefined ? null : await context.db.collection('users').get(record.user_id);
  const { token_id: tokenId } = record ?? {};
  if (user !== null && tokenId !== undefined) {
    context.log.warn({ requestId: facts.requestId, tokenId }, 'a code was redeemed twice: its key is deleted');
    await asUser(facts, user, 'deleted', () => deleteTokens(context, user.id, [tokenId]));
  }
  return refuseGuess(context, facts);
}

/** Recorded as the person's: the application acts on what the person allowed. */
function asUser<Result>(
  facts: RequestFacts,
  user: UserRecord,
  action: 'created' | 'deleted',
  work: () => Promise<Result>,
): Promise<Result> {
  return actingAs(
    {
      user: { id: user.id, name: user.username, role: user.role },
      by: 'session',
      job: '',
      ip: facts.ip,
      userAgent: facts.headers.get('user-agent') ?? '',
      requestId: facts.requestId,
      spec: { kind: 'token', action },
    },
    work,
  );
}
