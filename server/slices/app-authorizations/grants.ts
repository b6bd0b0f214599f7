// What a person allows an application, checked when it is allowed and carried out when the key is fetched: in between, rights may have been lost.
import { appRefOf, KeyGrant } from '#shared/app-authorizations.ts';
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { tidyTokenName, type TokenApplication, tokenNameLimit, TokenStatus } from '#shared/tokens.ts';
import type { AppContext } from '#server/context.ts';
import type { AppAuthorizationRecord } from '#server/db/records/app-authorization.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { checkNewToken, createTokens } from '#server/features/tokens/create-tokens.ts';
import { deleteTokens } from '#server/features/tokens/delete-tokens.ts';
import { readKey } from '#server/features/tokens/present-token.ts';
import { renewToken } from '#server/features/tokens/renew-token.ts';
import { effectiveStatus } from '#server/features/tokens/token-status.ts';
import { requireTokenCapacity } from '#server/features/tokens/token-capacity.ts';

type Requested = Pick<AppAuthorizationRecord, 'client' | 'name' | 'callback'>;

export function refOf({ callback = '', client, name }: Requested): string {
  return appRefOf({ callback, client, name });
}

/** @throws {AppError} about the first field that is wrong, `not_found` for a key of another application, `token_limit_reached` */
export async function checkGrant(context: AppContext, owner: UserRecord, grant: KeyGrant, requested: Requested): Promise<void> {
  if (grant.way !== 'renew') checkNewToken(context, owner, limitsOf(grant, requested.name));
  if (grant.way !== 'renew') await requireTokenCapacity(context, owner, 1);
  if (grant.way !== 'new') await keyOfApp(context, owner, grant, requested);
}

/** The key that the application has already. @throws {AppError} `not_found`, `invalid_field` */
async function keyOfApp(
  { db, now }: AppContext,
  owner: UserRecord,
  { way, token_id: id }: KeyGrant,
  requested: Requested,
): Promise<TokenRecord> {
  if (id === undefined) throw invalidField('grant.token_id', fieldRules.required);
  const token = await db.collection('tokens').first({ id, user_id: owner.id, DeletedAt: null });
  if (token === null || token.app_of !== owner.id || token.app_ref !== refOf(requested)) throw new AppError('not_found');
  // A new secret of a key that is off would not work.
  if (way === 'renew' && effectiveStatus(token, now()) !== TokenStatus.enabled) throw invalidField('grant.way', fieldRules.invalid);
  return token;
}

export interface HandedKey {
  /** Without `sk-`. */
  key: string;
  token: TokenRecord;
}

/** Makes the key. @throws {AppError} as `checkGrant`, and `rate_limited` */
export async function carryOut(
  context: AppContext,
  owner: UserRecord,
  { grant, requested, application }: { grant: KeyGrant; requested: Requested; application: TokenApplication },
): Promise<HandedKey> {
  if (grant.way === 'renew') {
    const { id, revision } = await keyOfApp(context, owner, grant, requested);
    const token = await renewToken(context, owner, { id, revision, old_key_seconds: 0 });
    return { token, key: readKey(context, token) };
  }
  const former = grant.way === 'replace' ? await keyOfApp(context, owner, grant, requested) : undefined;
  const [token] = await createTokens(context, owner, limitsOf(grant, requested.name), { application });
  if (token === undefined) throw new Error('No token was created');
  if (former !== undefined) await deleteTokens(context, owner.id, [former.id]);
  return { token, key: readKey(context, token) };
}

function limitsOf({ limits }: KeyGrant, appName: string): KeyGrant['limits'] {
  const name = Array.from(tidyTokenName(appName)).slice(0, tokenNameLimit).join('');
  return limits.name.trim() === '' ? { ...limits, name } : limits;
}

export function storedGrant(grant: KeyGrant): string {
  return JSON.stringify(grant);
}

export function readGrant(text: string | undefined): KeyGrant {
  return KeyGrant.parse(JSON.parse(text ?? '{}'));
}
