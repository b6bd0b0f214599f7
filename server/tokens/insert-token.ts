// Creates a token, for every kind of caller: key, record, and its quota through the ledger.
import { type TokenApplication, TokenStatus } from '#shared/tokens.ts';
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { ManagedMark } from '#server/db/records/managed-mark.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { emptyMoney } from '#server/money/account.ts';
import { endingOf } from './key-endings.ts';

const keyLength = 48;

/** What its owner decides about a token, checked. */
export interface TokenFields {
  name: string;
  /** Unix seconds, -1: never. */
  expired_time: number;
  unlimited_quota: boolean;
  model_limits_enabled: boolean;
  /** Comma list. */
  model_limits: string;
  /** One address or range per line. */
  allow_ips: string;
  group: string;
  /** Comma list of the groups of group `auto`; empty: those of the site. */
  auto_groups?: string;
  cross_group_retry?: boolean;
  /** Quota that calls of one session may cost together; 0: no bound. */
  session_budget?: number;
  /** `accounts/stored-limits.ts` */
  rate_limits?: string;
  budgets?: string;
}

export interface NewToken extends TokenFields {
  /** Quota. */
  remain_quota: number;
  /** Bare key; undefined for a random one. */
  key?: string;
  /** Application that gets the key. */
  application?: TokenApplication;
  /** In an organisation (`records/token.ts`). */
  member_id?: number;
  team_id?: number;
  /** File that manages it. */
  managed?: ManagedMark;
  managed_by?: string;
}

export const defaultTokenFields: Omit<NewToken, 'name'> = {
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: '',
};

/** A new secret as it is stored. */
export function newKeyFields(
  { randomText, secrets }: Pick<AppContext, 'randomText' | 'secrets'>,
  key = randomText(keyLength),
): Pick<TokenRecord, 'key_hash' | 'key_cipher' | 'ending'> {
  return { key_hash: secrets.hash(key), key_cipher: secrets.encrypt(key, 'token_key'), ending: endingOf(key) };
}

/** Stores the tokens of one user in one go, credits what they start with, and returns them as they are then. */
export async function insertTokens(
  context: AppContext,
  owner: { userId: number; actorId: number },
  tokens: readonly NewToken[],
): Promise<TokenRecord[]> {
  const now = Math.floor(context.now() / 1000);
  const records: TokenRecord[] = [];
  for (const { remain_quota: _granted, key, ...fields } of tokens) {
    records.push({
      id: await context.db.nextId('tokens'),
      user_id: owner.userId,
      ...fields,
      ...(fields.application === undefined ? {} : { app_of: owner.userId, app_ref: fields.application.ref }),
      ...newKeyFields(context, key),
      status: TokenStatus.enabled,
      created_time: now,
      accessed_time: now,
      remain_quota: 0,
      used_quota: 0,
      DeletedAt: null,
      revision: 1,
      ...emptyMoney(),
    });
  }
  await context.db.write(records.map((insert): Write => ({ insert, into: 'tokens' })));
  for (const [index, { id }] of records.entries()) {
    const amount = tokens[index]?.remain_quota ?? 0;
    if (amount > 0) {
      await context.ledger.change({ account: 'token', id, amount, kind: 'token_grant', ref: `token:${id}:grant`, actorId: owner.actorId });
    }
    await context.changes.announce('token', id);
  }
  const stored = await context.db.collection('tokens').find({ id: { in: records.map(({ id }) => id) } });
  return stored.toSorted((one, other) => one.id - other.id);
}
