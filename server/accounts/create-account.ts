// Creates accounts, for every kind of registration: the record, its invite code and bindings.
import { AppError, type Language } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { UserSetting } from '#shared/user-setting.ts';
import { findNamesake, foldName } from '#server/accounts/folded-name.ts';
import { markIdsOf } from '#server/accounts/left-identities.ts';
import { requireSetUp } from '#server/accounts/setup-check.ts';
import { giveWelcome } from '#server/accounts/welcome.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { emptyMoney } from '#server/money/account.ts';

const inviteCodeLength = 8;
const inviteCodeAttempts = 5;

export interface NewAccount {
  username: string;
  displayName: string;
  /** Empty for an account without a password. */
  passwordHash: string;
  role?: number;
  group?: string;
  /** Quota granted by the creator, in addition to bonuses. */
  opening?: number;
  /** Initial bindings: a verified e-mail address, an identity at a provider. */
  bound?: Partial<UserRecord>;
  inviter?: UserRecord | null;
  /** Language of notifications until the user saves settings; if undefined, Chinese. */
  language?: Language;
  /** Id of the creator; 0 for the new user. */
  actorId: number;
}

/** The identity to bind has an account already, created concurrently. */
export class AlreadyBound extends Error {
  override name = 'AlreadyBound';
}

/**
 * Creates a user with the sign-up bonus, unless a bound identity has left another account.
 * @throws {AppError} `username_taken`, `setup_missing`
 * @throws {AlreadyBound}
 */
export async function createAccount(context: AppContext, account: NewAccount): Promise<UserRecord> {
  // Checked for every kind of registration.
  await requireSetUp(context);
  const { settings } = context;
  const isInvited = account.inviter != null;
  const user = await insertAccount(context, account, {
    signup: settings.get('QuotaForNewUser'),
    invitee: isInvited ? settings.get('QuotaForInvitee') : 0,
    inviter: isInvited ? settings.get('QuotaForInviter') : 0,
    actor: account.actorId,
    ...(account.opening === undefined || account.opening === 0 ? {} : { opening: account.opening }),
    identities: markIdsOf(context, account.bound ?? {}),
  });
  await giveWelcome(context, user);
  return (await context.db.collection('users').get(user.id)) ?? user;
}

/**
 * Inserts the record, with the bonuses that are due.
 * @throws {AppError} `username_taken`
 * @throws {AlreadyBound}
 */
export async function insertAccount(context: AppContext, account: NewAccount, welcome?: UserRecord['welcome']): Promise<UserRecord> {
  const users = context.db.collection('users');
  // Checked first so that a taken name uses no id; the unique index decides between concurrent requests.
  if ((await findNamesake(context, account.username)) !== null) throw new AppError('username_taken', {}, { field: 'username' });
  const record = newRecord(context, account, await context.db.nextId('users'), welcome);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const inserted = { ...record, aff_code: context.randomText(inviteCodeLength) };
      await users.insert(inserted);
      return inserted;
    } catch (failure) {
      if (!(failure instanceof UniqueConflict)) throw failure;
      const isNameTaken = (await findNamesake(context, account.username)) !== null;
      if (isNameTaken) throw new AppError('username_taken', {}, { cause: failure, field: 'username' });
      if (failure.index !== 'aff_code' && account.bound !== undefined) throw new AlreadyBound(failure.message, { cause: failure });
      if (attempt === inviteCodeAttempts) throw failure;
    }
  }
}

function newRecord(context: AppContext, account: NewAccount, id: number, welcome: UserRecord['welcome']): UserRecord {
  const now = context.now();
  return {
    id,
    username: account.username,
    username_folded: foldName(account.username),
    password_hash: account.passwordHash,
    display_name: account.displayName,
    role: account.role ?? Role.user,
    status: UserStatus.active,
    email: '',
    github_id: '',
    oidc_id: '',
    wechat_id: '',
    telegram_id: '',
    linux_do_id: '',
    quota: 0,
    used_quota: 0,
    request_count: 0,
    group: account.group ?? 'default',
    aff_count: 0,
    aff_quota: 0,
    aff_history_quota: 0,
    inviter_id: account.inviter?.id ?? 0,
    DeletedAt: null,
    setting: account.language === 'en' ? JSON.stringify({ language: account.language } satisfies UserSetting) : '',
    created_time: Math.floor(now / 1000),
    revision: 1,
    ...emptyMoney(),
    ...account.bound,
    ...(welcome === undefined ? {} : { welcome, welcome_at: now }),
  };
}

/** Invite code of an account; imported records get one on first use. */
export async function inviteCodeOf({ db, randomText }: Pick<AppContext, 'db' | 'randomText'>, user: UserRecord): Promise<string> {
  const users = db.collection('users');
  for (let attempt = 1; ; attempt += 1) {
    const code = (await users.get(user.id))?.aff_code ?? '';
    if (code !== '') return code;
    try {
      await users.patch({ id: user.id, aff_code: { exists: false } }, { set: { aff_code: randomText(inviteCodeLength) } });
    } catch (failure) {
      if (!(failure instanceof UniqueConflict) || attempt === inviteCodeAttempts) throw failure;
    }
    if (attempt > inviteCodeAttempts) throw new Error(`The user ${user.id} could not be given an invite code`);
  }
}

/** Finds the existing user of an invite code; an unknown code is no error. */
export async function findInviter(context: AppContext, code: string | undefined): Promise<UserRecord | null> {
  if (code === undefined || code === '') return null;
  return context.db.collection('users').first({ aff_code: code, DeletedAt: null });
}
