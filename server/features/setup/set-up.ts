import { timingSafeEqual } from 'node:crypto';
import { passwordProblem } from '#shared/account-rules.ts';
import { AppError, type Language } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import type { SetupInput } from '#shared/setup.ts';
import { checkPassword, checkUsername } from '#server/accounts/account-input.ts';
import { insertAccount } from '#server/accounts/create-account.ts';
import { hashPassword } from '#server/accounts/password.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { RequestFacts, RequestSource } from '#server/http/call.ts';
import { enforceSourceLimit } from '#server/http/rate-limit.ts';
import { saveModes } from './save-modes.ts';
import { claimSetup, findRoot, finishSetup, readSetupState, releaseSetup } from './setup-state.ts';

/** $200. */
const rootQuota = 100_000_000;
const secretAttempts = { count: 10, windowSeconds: 600 };

/**
 * Creates the super admin and stores the mode. Every step can be repeated: the next call finishes what broke off half-way.
 * Returns the super admin when this call has set the password; null when the account was there before, because the caller has not
 * shown then that it is theirs. @throws {AppError} `setup_done`, and for wrong input
 */
export async function setUp(
  context: AppContext,
  input: SetupInput,
  facts: RequestSource & Pick<RequestFacts, 'language'>,
): Promise<UserRecord | null> {
  const { isDone, hasRoot } = await readSetupState(context);
  if (isDone) throw new AppError('setup_done');
  await checkSecret(context, input.setup_secret ?? '', facts);
  const account = hasRoot ? null : checkAccount(input);
  if (!(await claimSetup(context))) throw new AppError('setup_done');
  try {
    // Looked for again: the call that held the claim until now may have made one.
    const found = await findRoot(context);
    const root = found ?? (await createRoot(context, account ?? checkAccount(input), facts.language));
    await context.ledger.change({ account: 'user', id: root.id, amount: rootQuota, kind: 'setup', ref: 'setup', actorId: root.id });
    await context.changes.announce('user', root.id);
    await saveModes(context, input, root.id);
    await finishSetup(context);
    return found === null ? await context.db.collection('users').get(root.id) : null;
  } catch (failure) {
    await releaseSetup(context);
    throw failure;
  }
}

async function checkSecret(context: AppContext, given: string, source: RequestSource): Promise<void> {
  const expected = context.env.SETUP_SECRET;
  if (expected === undefined) return;
  await enforceSourceLimit(context, source, { key: 'setup', ...secretAttempts });
  const isRight = timingSafeEqual(Buffer.from(context.secrets.hash(given)), Buffer.from(context.secrets.hash(expected)));
  if (!isRight) throw new AppError('setup_secret_wrong', {}, { field: 'setup_secret' });
}

function checkAccount(input: SetupInput): { username: string; password: string } {
  const password = input.password ?? '';
  if ((input.username ?? '').trim() === '') throw new AppError('setup_username_required', {}, { field: 'username' });
  const username = checkUsername(input.username ?? '');
  if (password !== (input.confirmPassword ?? '')) throw new AppError('setup_passwords_differ', {}, { field: 'confirmPassword' });
  if (passwordProblem(password) === 'password_short') throw new AppError('setup_password_short', {}, { field: 'password' });
  checkPassword(password);
  return { username, password };
}

async function createRoot(context: AppContext, account: { username: string; password: string }, language: Language): Promise<UserRecord> {
  return insertAccount(context, {
    username: account.username,
    displayName: 'Root User',
    passwordHash: await hashPassword(account.password, 'setup'),
    role: Role.root,
    actorId: 0,
    language,
  });
}
