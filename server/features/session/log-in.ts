import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import type { LoginInput } from '#shared/session.ts';
import { UserStatus } from '#shared/user.ts';
import { tidyName } from '#shared/account-rules.ts';
import { findByEmail } from '#server/accounts/identities.ts';
import { isImportedHash } from '#server/accounts/imported-passwords.ts';
import { hashPassword, ownerSource, strangerSource, verifyPassword } from '#server/accounts/password.ts';
import { requireSetUp } from '#server/accounts/setup-check.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { RequestFacts, RequestSource } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import type { Source } from '#server/queues/fair-queue.ts';
import { clearLimit, countHit, forgiveHit } from '#server/http/rate-limit.ts';
import { recordFailure } from './record-failure.ts';
import { acceptProof, createProofChallenge } from './proof-of-work.ts';

/** Failed logins of one account from one address. */
const pairLimit = { count: 10, windowSeconds: 900 };
/** Failed logins of one account from everywhere. Addresses that have signed in to it before are not judged by it. */
const accountLimit = { count: 100, windowSeconds: 3600 };
const knownSeconds = 30 * 24 * 3600;
/** Failed logins from one address, whatever the account. */
const addressLimit = { count: 20, windowSeconds: 1200 };
/** Beyond `addressLimit` each account still has as many attempts: who shares an address with a guesser is not made to wait. */
const attemptsOfEach = 2;
/** As a multiple of `addressLimit`, or for all clients of an untrusted proxy: from here on every login needs a proof. */
const addressExcess = 10;
const proxyExcess = 20;

/**
 * Returns the user who signs in with a name or a mail address and a password. Attempts are counted before the password is checked, so that a
 * thousand at once are no more than ten; a success takes its own counts back. Past a limit a login needs a proof of work instead of a wait:
 * failures of others never lock the account's owner out. If signing in with a password is switched off, the super admin still can,
 * to be able to switch it on again.
 * @throws {AppError} `login_locked` with a `ProofChallenge`, `setup_missing`, `login_failed` or `password_login_disabled` (always the same, whatever
 * was wrong)
 */
export async function logIn(context: AppContext, input: LoginInput, facts: RequestSource & Pick<RequestFacts, 'ip'>): Promise<UserRecord> {
  const name = tidyName(input.username);
  if (name === '' || input.password === '') throw new AppError('login_empty');
  const user = await findUser(context, name);
  const attempt = await countAttempt(context, { name, user, facts });
  if (attempt.excess >= 1 && !(input.proof !== undefined && (await acceptProof(context, attempt.subject, input.proof)))) {
    const { seconds } = attempt;
    const data = await createProofChallenge(context, attempt.subject, attempt.excess);
    throw new AppError('login_locked', { seconds }, { retryAfter: seconds, data });
  }
  // Before the set-up no account exists: "wrong password" would mislead.
  if (user === null) await requireSetUp(context);
  const source = user !== null && attempt.isKnownHere ? ownerSource(user.id, facts.source) : strangerSource(facts.source);
  const isRight = await verifyPassword(input.password, user?.password_hash ?? null, source).catch(async (failure: unknown) => {
    // Nothing was tried.
    await attempt.forgive();
    throw failure;
  });
  const isOn = context.settings.get('PasswordLoginEnabled');
  if (user === null || !isRight || user.status !== UserStatus.active || !(isOn || user.role >= Role.root)) {
    if (user !== null) await recordFailure(context, user, subscriberOf(facts.source));
    throw new AppError(isOn ? 'login_failed' : 'password_login_disabled');
  }
  await attempt.succeed();
  return replaceImportedHash(context, user, { password: input.password, source });
}

/** Replaces a hash of another gateway by ours, now that the password is known. */
async function replaceImportedHash(
  context: AppContext,
  user: UserRecord,
  { password, source }: { password: string; source: Source },
): Promise<UserRecord> {
  if (!isImportedHash(user.password_hash)) return user;
  try {
    const replaced = await hashPassword(password, source);
    // Only what was verified: the password may have been changed since.
    const where = { id: user.id, password_hash: user.password_hash };
    return (await context.db.collection('users').patch(where, { set: { password_hash: replaced } })) ?? user;
  } catch (failure) {
    // Too many wait: the next sign-in replaces it.
    if (failure instanceof AppError && failure.code === 'rate_limited') return user;
    throw failure;
  }
}

interface Attempt {
  /** Keyed hash of the account's name. */
  subject: string;
  /** Attempts as a multiple of what is free, from 1 on; 0: the attempt is free. */
  excess: number;
  /** Seconds until the last of the exceeded windows ends. */
  seconds: number;
  /** True at an address that has signed in to the account within `knownSeconds`. */
  isKnownHere: boolean;
  forgive(): Promise<void>;
  succeed(): Promise<void>;
}

async function countAttempt(
  context: AppContext,
  { name, user, facts }: { name: string; user: UserRecord | null; facts: RequestSource },
): Promise<Attempt> {
  const address = subscriberOf(facts.source);
  // Names are hashed: they are of any length, and not of interest in the list of limits.
  const subject = context.secrets.hash(name.toLowerCase());
  const addressKey = `login-from:${address}`;
  const pairKey = `login:${subject}:${address}`;
  const accountKey = `login:${subject}`;
  const proxyKey = `login-from:proxy:${facts.untrustedProxy}`;
  const knownKey = `login-known:${user?.id}:${address}`;
  const known = user === null ? null : await context.db.collection('limits').get(knownKey);
  const isKnownHere = known !== null && known.reset_at > context.now();
  const count = async (key: string, limit: { count: number; windowSeconds: number }) => {
    const window = await countHit(context, key, limit.windowSeconds);
    return { key, count: window.count, ratio: window.count / limit.count, endsAt: window.reset_at };
  };
  const pair = await count(pairKey, pairLimit);
  const from = await count(addressKey, addressLimit);
  const account = isKnownHere ? null : await count(accountKey, accountLimit);
  const proxy = facts.untrustedProxy === null ? null : await count(proxyKey, addressLimit);
  const isFirst = pair.count <= attemptsOfEach;
  const exceeded = [
    pair.ratio > 1 && pair,
    from.ratio > (isFirst ? addressExcess : 1) && from,
    account !== null && account.ratio > 1 && account,
    proxy !== null && proxy.ratio > proxyExcess && { ...proxy, ratio: proxy.ratio / proxyExcess },
  ].filter((window) => window !== false);
  const counted = [addressKey, ...(account === null ? [] : [accountKey]), ...(proxy === null ? [] : [proxyKey])];
  return {
    subject,
    excess: Math.max(0, ...exceeded.map(({ ratio }) => ratio)),
    seconds: Math.max(1, ...exceeded.map(({ endsAt }) => Math.ceil((endsAt - context.now()) / 1000))),
    isKnownHere,
    async forgive() {
      for (const key of [pairKey, ...counted]) await forgiveHit(context, key);
    },
    async succeed() {
      await clearLimit(context, pairKey);
      for (const key of counted) await forgiveHit(context, key);
      await clearLimit(context, knownKey);
      await countHit(context, knownKey, knownSeconds);
    },
  };
}

async function findUser(context: AppContext, name: string): Promise<UserRecord | null> {
  const byName = await context.db.collection('users').first({ username: name, DeletedAt: null });
  if (byName !== null || !name.includes('@')) return byName;
  // Only its owner has it: it was verified.
  const byEmail = await findByEmail(context, name);
  return byEmail?.DeletedAt === null ? byEmail : null;
}
