// Accepts an invitation once. The account holds the id of its invitation, which is unique among accounts: repeated or concurrent requests, even with
// two names, create one account.
import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import { checkPassword, checkUsername } from '#server/accounts/account-input.ts';
import { AlreadyBound, createAccount } from '#server/accounts/create-account.ts';
import { editAccount } from '#server/accounts/edit-account.ts';
import { bindEmail, foldEmail } from '#server/accounts/identities.ts';
import { hashPassword, strangerSource } from '#server/accounts/password.ts';
import type { AppContext } from '#server/context.ts';
import type { InvitationRecord } from '#server/db/records/invitation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { RequestFacts, RequestSource } from '#server/http/call.ts';
import { enforceSourceLimit } from '#server/http/rate-limit.ts';
import { knownGroup } from '#server/settings/group-moves.ts';
import { usualGroup } from './check-lines.ts';
import { hashOf } from './invitation-links.ts';

type Facts = RequestSource & Pick<RequestFacts, 'language'>;

/** Links that are none, from one address of the network; those that are right are not counted: a class shares an address. */
const wrongLimit = { count: 30, windowSeconds: 1200 };

/** The open invitation of a link. @throws {AppError} `invitation_invalid`, `rate_limited` */
export async function findInvitation(context: AppContext, facts: RequestSource, token: string): Promise<InvitationRecord> {
  const invitation = token === '' ? null : await context.db.collection('invitations').first({ token_hash: hashOf(context, token) });
  if (invitation !== null && invitation.state === 'open' && invitation.expires_at * 1000 > context.now()) return invitation;
  await enforceSourceLimit(context, facts, { key: 'invitation-from', ...wrongLimit });
  throw new AppError('invitation_invalid');
}

interface Acceptance {
  token: string;
  password: string;
  /** Absent: the name of the invitation. */
  username?: string | undefined;
}

/** The account with its password. @throws {AppError} `invitation_invalid`, `invitation_used`, `username_taken`, `invalid_input` */
export async function acceptInvitation(context: AppContext, facts: Facts, given: Acceptance): Promise<UserRecord> {
  const invitation = await findInvitation(context, facts, given.token);
  checkPassword(given.password);
  const passwordHash = await hashPassword(given.password, strangerSource(facts.source));
  await checkStillOpen(context, invitation);
  const user =
    invitation.user_id === undefined
      ? await createInvited(context, invitation, { username: checkUsername(given.username ?? invitation.username), passwordHash, facts })
      : await enterAccount(context, invitation, { id: invitation.user_id, passwordHash });
  await finish(context, invitation, user.id);
  return user;
}

/** Hashing may have waited for others: the invitation may have been withdrawn since, or have another link. One that was accepted says so later. */
async function checkStillOpen({ db }: AppContext, { id, token_hash: hash }: InvitationRecord): Promise<void> {
  const current = await db.collection('invitations').get(id);
  const isOpen = current?.state === 'accepted' || (current?.state === 'open' && current.token_hash === hash);
  if (!isOpen) throw new AppError('invitation_invalid');
}

async function createInvited(
  context: AppContext,
  invitation: InvitationRecord,
  { username, passwordHash, facts }: { username: string; passwordHash: string; facts: Facts },
): Promise<UserRecord> {
  const { id, email, is_mailed: isMailed, quota: opening, created_by: actorId } = invitation;
  // A group that is gone by now would let no call through.
  const invitedTo = knownGroup(context.settings, invitation.group);
  const group = Object.hasOwn(context.settings.get('GroupRatio'), invitedTo) ? invitedTo : usualGroup;
  const account = { username, displayName: username, passwordHash, group, opening, actorId, language: facts.language };
  const create = (bound: Partial<UserRecord>) => createAccount(context, { ...account, bound: { ...bound, invitation_id: id } });
  try {
    // Who has followed the mailed link has the mailbox.
    return await create(isMailed && email !== '' ? { email, email_folded: foldEmail(email) } : {});
  } catch (failure) {
    const isTaken = failure instanceof AlreadyBound || (failure instanceof AppError && failure.code === 'username_taken');
    if (!isTaken) throw failure;
    const existing = await context.db.collection('users').first({ invitation_id: id });
    // A process ended before it had noted the account that it made.
    if (existing?.password_hash === '') return enterAccount(context, invitation, { id: existing.id, passwordHash });
    if (existing !== null) {
      await finish(context, invitation, existing.id);
      throw new AppError('invitation_used', {}, { cause: failure });
    }
    if (!(failure instanceof AlreadyBound)) throw failure;
    // Another account has bound the mailbox meanwhile; the invited one is created without it.
    return create({});
  }
}

/** The account was made with the invitation, and has no password yet. */
async function enterAccount(
  context: AppContext,
  { email, is_mailed: isMailed }: InvitationRecord,
  { id, passwordHash }: { id: number; passwordHash: string },
): Promise<UserRecord> {
  const { after: user } = await editAccount(context, {
    id,
    change(current) {
      // The account may have got more rights since: the link, which others may have seen, must not grant them.
      if (current.status !== UserStatus.active || current.role > Role.user) throw new AppError('invitation_invalid');
      if (current.password_hash !== '') throw new AppError('invitation_used');
      return { set: { password_hash: passwordHash } };
    },
  });
  if (!isMailed || email === '' || user.email !== '') return user;
  return bindEmail(context, id, email).catch((failure: unknown) => {
    if (failure instanceof AppError && failure.code === 'email_taken') return user;
    throw failure;
  });
}

async function finish({ db, now }: AppContext, { id }: InvitationRecord, userId: number): Promise<void> {
  const unset = ['open_name', 'open_mailbox', 'token_hash', 'mail_due_at'] as const;
  await db.collection('invitations').patch({ id, state: 'open' }, { set: { state: 'accepted', user_id: userId, ended_at: now() }, unset });
}
