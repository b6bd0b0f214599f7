// How an account comes into being, whoever asks for it: the record, its invite code, its bonuses and their log rows.
import { AppError } from '#shared/errors.ts';
import { LogType } from '#shared/logs.ts';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/users.ts';
import { findNamesake, foldName } from '#server/accounts/folded-name.ts';
import { quotaText } from '#server/accounts/quota-text.ts';
import { requireSetUp } from '#server/accounts/setup-check.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { writeLog } from '#server/logs/write-log.ts';
import { emptyMoney } from '#server/money/account.ts';

const inviteCodeLength = 8;
const inviteCodeTries = 5;

export interface NewAccount {
  username: string;
  displayName: string;
  /** Empty for an account without a password. */
  passwordHash: string;
  role?: number;
  email?: string;
  inviter?: UserRecord | null;
  /** Who does it; 0: the new user. */
  actorId: number;
}

/** A user with the sign-up bonus. @throws {AppError} `username_taken`, `setup_missing` */
export async function createAccount(context: AppContext, account: NewAccount): Promise<UserRecord> {
  // Whichever way somebody signs up.
  await requireSetUp(context);
  const user = await insertAccount(context, account);
  await creditBonus(context, user, {
    option: 'QuotaForNewUser',
    kind: 'signup',
    text: '新用户注册赠送',
    code: 'signup_bonus',
    actorId: account.actorId,
  });
  if (account.inviter != null) await rewardInvite(context, user, account.inviter);
  return (await context.db.collection('users').get(user.id)) ?? user;
}

/** The bare record, without a bonus. @throws {AppError} `username_taken` */
export async function insertAccount(context: AppContext, account: NewAccount): Promise<UserRecord> {
  const users = context.db.collection('users');
  // Asked first so that a refused name costs no id; the unique index decides when two ask at once.
  if ((await findNamesake(context, account.username)) !== null) throw new AppError('username_taken', {}, { field: 'username' });
  const record: UserRecord = {
    id: await context.db.nextId('users'),
    username: account.username,
    username_folded: foldName(account.username),
    password_hash: account.passwordHash,
    display_name: account.displayName,
    role: account.role ?? Role.user,
    status: UserStatus.active,
    email: account.email ?? '',
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
    inviter_id: account.inviter?.id ?? 0,
    DeletedAt: null,
    setting: '',
    created_time: Math.floor(context.now() / 1000),
    revision: 1,
    ...emptyMoney(),
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const inserted = { ...record, aff_code: context.randomText(inviteCodeLength) };
      await users.insert(inserted);
      return inserted;
    } catch (failure) {
      if (!(failure instanceof UniqueConflict)) throw failure;
      const isNameTaken = (await findNamesake(context, account.username)) !== null;
      if (isNameTaken) throw new AppError('username_taken', {}, { cause: failure, field: 'username' });
      if (attempt === inviteCodeTries) throw failure;
    }
  }
}

/** The invite code of an account; records from elsewhere get theirs when it is asked for first. */
export async function inviteCodeOf({ db, randomText }: Pick<AppContext, 'db' | 'randomText'>, user: UserRecord): Promise<string> {
  const users = db.collection('users');
  for (let attempt = 1; ; attempt += 1) {
    const code = (await users.get(user.id))?.aff_code ?? '';
    if (code !== '') return code;
    try {
      await users.patch({ id: user.id, aff_code: { exists: false } }, { set: { aff_code: randomText(inviteCodeLength) } });
    } catch (failure) {
      if (!(failure instanceof UniqueConflict) || attempt === inviteCodeTries) throw failure;
    }
    if (attempt > inviteCodeTries) throw new Error(`The user ${user.id} could not be given an invite code`);
  }
}

/** The living user behind an invite code; an unknown code is no error. */
export async function findInviter(context: AppContext, code: string | undefined): Promise<UserRecord | null> {
  if (code === undefined || code === '') return null;
  return context.db.collection('users').first({ aff_code: code, DeletedAt: null });
}

async function rewardInvite(context: AppContext, user: UserRecord, inviter: UserRecord): Promise<void> {
  await creditBonus(context, user, {
    option: 'QuotaForInvitee',
    kind: 'invitee',
    text: '使用邀请码赠送',
    code: 'invitee_bonus',
    actorId: inviter.id,
  });
  const reward = context.settings.get('QuotaForInviter');
  // Invite earnings are pending, not balance: they become balance by a transfer, which goes through the ledger.
  await context.db
    .collection('users')
    .patch({ id: inviter.id }, { increment: { aff_count: 1, aff_quota: reward, aff_history_quota: reward } });
  if (reward <= 0) return;
  await writeSystemLog(context, inviter, { text: '邀请用户赠送', code: 'inviter_reward', amount: reward });
}

async function creditBonus(
  context: AppContext,
  user: UserRecord,
  bonus: {
    option: 'QuotaForNewUser' | 'QuotaForInvitee';
    kind: string;
    text: string;
    code: 'signup_bonus' | 'invitee_bonus';
    actorId: number;
  },
): Promise<void> {
  const amount = context.settings.get(bonus.option);
  if (amount <= 0) return;
  const { kind, actorId, text, code } = bonus;
  await context.ledger.change({ account: 'user', id: user.id, amount, kind, ref: `${kind}:${user.id}`, actorId });
  await writeSystemLog(context, user, { text, code, amount });
}

function writeSystemLog(
  context: AppContext,
  user: UserRecord,
  { text, code, amount }: { text: string; code: 'signup_bonus' | 'invitee_bonus' | 'inviter_reward'; amount: number },
): Promise<void> {
  return writeLog(context, {
    user_id: user.id,
    username: user.username,
    type: LogType.system,
    content: `${text} ${quotaText(context, amount)}`,
    event: { code, amount },
    group: user.group,
  });
}
