// The system access token: lets programs make the calls of the console in the name of its user.
import { editAccount } from '#server/accounts/edit-account.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';

/** 43 characters of 62: 256 random bits. */
const tokenLength = 43;
const limit = { count: 20, windowSeconds: 3600 };

/** Creates a token, stores its hash only, and invalidates the former one at once. */
export async function newAccessToken(context: AppContext, { id }: UserRecord): Promise<string> {
  await enforceLimit(context, { key: `access-token:${id}`, ...limit });
  const token = context.randomText(tokenLength);
  const set = { access_token_hash: context.secrets.hash(token), access_token_time: Math.floor(context.now() / 1000) };
  await editAccount(context, { id, change: () => ({ set }) });
  return token;
}

/** Afterwards there is none, whether or not there was one. */
export async function revokeAccessToken(context: AppContext, { id }: UserRecord): Promise<void> {
  await editAccount(context, { id, change: () => ({ set: {}, unset: ['access_token_hash', 'access_token_time'] }) });
}
