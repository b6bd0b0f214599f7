// Tokens and sessions for tests, stored.
import { randomBytes } from 'node:crypto';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { emptyMoney } from '#server/money/account.ts';

export type TokenFields = Partial<TokenRecord> & { quota?: number };

/** A key of that user: with `quota` limited to it (credited through the ledger), else unlimited. `key` begins with `sk-`. */
export async function createToken(
  context: AppContext,
  userId: number,
  { quota, ...fields }: TokenFields = {},
): Promise<{ token: TokenRecord; key: string }> {
  const key = context.randomText(48);
  const id = await context.db.nextId('tokens');
  const token = buildTokenRecord({
    id,
    user_id: userId,
    name: `key ${id}`,
    key_hash: context.secrets.hash(key),
    key_cipher: context.secrets.encrypt(key, 'token_key'),
    unlimited_quota: quota === undefined,
    ...fields,
  });
  await context.db.collection('tokens').insert(token);
  if (quota !== undefined)
    await context.ledger.change({ account: 'token', id, amount: quota, kind: 'test', ref: `test-token:${id}`, actorId: 0 });
  return { token, key: `sk-${key}` };
}

/** A record without a server, not yet stored. */
export function buildTokenRecord(fields: Partial<TokenRecord> & Pick<TokenRecord, 'id' | 'user_id'>): TokenRecord {
  return {
    name: `key ${fields.id}`,
    key_hash: `k${fields.id}`,
    key_cipher: '',
    status: 1,
    created_time: 0,
    accessed_time: 0,
    expired_time: -1,
    remain_quota: 0,
    unlimited_quota: true,
    used_quota: 0,
    model_limits_enabled: false,
    model_limits: '',
    allow_ips: '',
    group: '',
    DeletedAt: null,
    revision: 1,
    ...emptyMoney(),
    ...fields,
  };
}

/** A session of that user, without the cost of a login; returns the cookie to send. */
export async function createSession(context: AppContext, user: Pick<UserRecord, 'id'>): Promise<string> {
  const value = randomBytes(32).toString('hex').slice(0, 43);
  const now = Math.floor(context.now() / 1000);
  await context.db.collection('sessions').insert({
    id: context.secrets.hash(value),
    user_id: user.id,
    created_at: now,
    seen_at: now,
    // As long as one that a sign-in opens: tests move the clock by days.
    expires_at: now + 30 * 24 * 3600,
    ip: '127.0.0.1',
    user_agent: 'test',
  });
  return `session=${value}`;
}
