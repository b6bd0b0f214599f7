// Records for tests: everything has a value, a test names what it is about.
import { randomBytes, scryptSync } from 'node:crypto';
import { foldName } from '#server/accounts/folded-name.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { emptyMoney } from '#server/money/account.ts';

export type UserFields = Partial<Omit<UserRecord, 'quota' | 'password_hash'>> & { password?: string };

/** A user record with an id of its own, not yet stored. Money comes through the ledger. */
export async function buildUser(context: AppContext, { password, ...fields }: UserFields = {}): Promise<UserRecord> {
  const id = fields.id ?? (await context.db.nextId('users'));
  const username = fields.username ?? `user${id}`;
  const hash = password === undefined ? '' : fastHash(password);
  return buildUserRecord({
    username,
    display_name: username,
    password_hash: hash,
    aff_code: context.randomText(8),
    created_time: Math.floor(context.now() / 1000),
    ...fields,
    id,
  });
}

/** Hashes like `hashPassword`, at a thousandth of its cost: the parameters are part of the hash, so verification costs as little. */
export function fastHash(password: string): string {
  const [logN, r, p] = [5, 8, 1];
  const salt = randomBytes(16);
  const key = scryptSync(password.normalize('NFC'), salt, 32, { N: 2 ** logN, r, p });
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** The same without a server. */
export function buildUserRecord(fields: Partial<UserRecord> & Pick<UserRecord, 'id'>): UserRecord {
  const username = fields.username ?? `user${fields.id}`;
  return {
    username,
    username_folded: foldName(username),
    password_hash: '',
    display_name: username,
    role: 1,
    status: 1,
    email: '',
    github_id: '',
    oidc_id: '',
    wechat_id: '',
    telegram_id: '',
    linux_do_id: '',
    quota: 0,
    used_quota: 0,
    request_count: 0,
    group: 'default',
    aff_count: 0,
    aff_quota: 0,
    aff_history_quota: 0,
    inviter_id: 0,
    DeletedAt: null,
    setting: '',
    created_time: 0,
    revision: 1,
    ...emptyMoney(),
    ...(fields.email === undefined || fields.email === '' ? {} : { email_folded: foldEmail(fields.email) }),
    ...fields,
  };
}
