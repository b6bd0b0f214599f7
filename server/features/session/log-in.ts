import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import type { LoginInput } from '#shared/session.ts';
import { UserStatus } from '#shared/user.ts';
import { tidyName } from '#shared/account-rules.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import { ownerSource, strangerSource, verifyPassword } from '#server/accounts/password.ts';
import { requireSetUp } from '#server/accounts/setup-check.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { clearLimit, countHit, enforceLimit, forgiveHit } from '#server/http/rate-limit.ts';

/** Failed logins of one account from one address: a stranger locks out only their own address. */
const pairLimit = { count: 10, windowSeconds: 900 };
/**
 * Failed logins of one account from everywhere. Addresses that have signed in to it before are not asked, so that no crowd
 * of strangers can lock its owner out there.
 */
const accountLimit = { count: 100, windowSeconds: 3600 };
const knownSeconds = 30 * 24 * 3600;
/** Failed logins from one address, whatever the account. */
const addressLimit = { count: 20, windowSeconds: 1200 };

/**
 * The user who signs in with a name or an e-mail address and a password. Attempts are counted before the password is looked
 * at, so that a thousand at once are no more than ten; a success takes its own counts back. Where signing in with a password
 * is switched off, the super admin still can: somebody must be able to switch it on again.
 * @throws {AppError} `login_locked`, `setup_missing`, `login_failed` or `password_login_disabled` (always the same, whatever was wrong)
 */
export async function logIn(context: AppContext, input: LoginInput, ip: string): Promise<UserRecord> {
  const name = tidyName(input.username);
  if (name === '' || input.password === '') throw new AppError('login_empty');
  const user = await findUser(context, name);
  // Names are hashed: they are of any length, and not of interest in the list of limits.
  const accountKey = `login:${context.secrets.hash(name.toLowerCase())}`;
  const addressKey = `login-from:${subscriberOf(ip)}`;
  const pairKey = `${accountKey}:${subscriberOf(ip)}`;
  const knownKey = `login-known:${user?.id}:${subscriberOf(ip)}`;
  const known = user === null ? null : await context.db.collection('limits').get(knownKey);
  const isKnownHere = known !== null && known.reset_at > context.now();
  const refuse = (seconds: number) => new AppError('login_locked', { seconds }, { retryAfter: seconds });
  await enforceLimit(context, { key: addressKey, ...addressLimit, refuse });
  await enforceLimit(context, { key: pairKey, ...pairLimit, refuse });
  if (!isKnownHere) await enforceLimit(context, { key: accountKey, ...accountLimit, refuse });
  // Nobody can have an account yet: a wrong password is not what is wrong.
  if (user === null) await requireSetUp(context);
  const source = user !== null && isKnownHere ? ownerSource(user.id, ip) : strangerSource(ip);
  const isRight = await verifyPassword(input.password, user?.password_hash ?? null, source).catch(async (failure: unknown) => {
    // Nothing was tried.
    const counted = isKnownHere ? [addressKey, pairKey] : [addressKey, pairKey, accountKey];
    for (const key of counted) await forgiveHit(context, key);
    throw failure;
  });
  const isOn = context.settings.get('PasswordLoginEnabled');
  if (user === null || !isRight || user.status !== UserStatus.active || !(isOn || user.role >= Role.root)) {
    throw new AppError(isOn ? 'login_failed' : 'password_login_disabled');
  }
  await clearLimit(context, pairKey);
  await forgiveHit(context, addressKey);
  if (!isKnownHere) await forgiveHit(context, accountKey);
  await clearLimit(context, knownKey);
  await countHit(context, knownKey, knownSeconds);
  return user;
}

async function findUser(context: AppContext, name: string): Promise<UserRecord | null> {
  const users = context.db.collection('users');
  const byName = await users.first({ username: name, DeletedAt: null });
  if (byName !== null || !name.includes('@')) return byName;
  // Only its owner has it: it was verified.
  return users.first({ email_folded: foldEmail(name), DeletedAt: null });
}
