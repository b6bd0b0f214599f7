import { AppError, type Language } from '#shared/errors.ts';
import { type Delivery, type InvitationLine, type LineProblem, openInvitationLimit } from '#shared/invitations.ts';
import { createAccount } from '#server/accounts/create-account.ts';
import { foldName } from '#server/accounts/folded-name.ts';
import { foldEmail } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { InvitationRecord } from '#server/db/records/invitation.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { type CheckedLine, checkLines, tidyLine } from './check-lines.ts';
import { linkFields, requireDelivery } from './invitation-links.ts';

interface List {
  lines: readonly InvitationLine[];
  delivery: Delivery;
  valid_seconds: number;
  creates_accounts: boolean;
}

interface Inviter {
  actor: UserRecord;
  language: Language;
}

interface Made {
  line: number;
  id: number;
  username: string;
  token?: string;
}

/** Invites the people of a list, those without a problem. @throws {AppError} `mail_unconfigured`, `server_address_required` */
export async function invite(context: AppContext, inviter: Inviter, list: List): Promise<{ made: Made[]; problems: CheckedLine[] }> {
  requireDelivery(context, list.delivery);
  const problems = await checkLines(context, list.lines, list.delivery);
  const refused = new Set(problems.map(({ line }) => line));
  let room = openInvitationLimit - (await context.db.collection('invitations').count({ open_name: { exists: true } }, openInvitationLimit));
  const made: Made[] = [];
  for (const [line, given] of list.lines.entries()) {
    if (refused.has(line)) continue;
    const outcome = room > 0 ? await inviteOne(context, inviter, { ...list, line: tidyLine(given) }) : 'full';
    if (typeof outcome === 'string') problems.push({ line, problem: outcome });
    else {
      room -= 1;
      made.push({ line, ...outcome });
    }
  }
  return { made, problems: problems.toSorted((one, other) => one.line - other.line) };
}

async function inviteOne(
  context: AppContext,
  { actor, language }: Inviter,
  { line, delivery, valid_seconds: seconds, creates_accounts: isCreated }: Omit<List, 'lines'> & { line: InvitationLine },
): Promise<Omit<Made, 'line'> | LineProblem> {
  const invitations = context.db.collection('invitations');
  const { fields, token } = linkFields(context, delivery);
  const now = Math.floor(context.now() / 1000);
  const record: InvitationRecord = {
    id: await context.db.nextId('invitations'),
    ...line,
    open_name: foldName(line.username),
    ...(line.email === '' ? {} : { open_mailbox: foldEmail(line.email) }),
    state: 'open',
    language,
    created_by: actor.id,
    created_at: now,
    expires_at: now + seconds,
    ...fields,
  };
  try {
    await invitations.insert(record);
  } catch (failure) {
    // The same list was sent twice at once: the unique indexes decide.
    if (!(failure instanceof UniqueConflict)) throw failure;
    return failure.index === 'open_mailbox' ? 'mailbox_invited' : 'name_invited';
  }
  if (isCreated && !(await createFor(context, record))) return 'name_taken';
  return { id: record.id, username: record.username, ...(token === undefined ? {} : { token }) };
}

/** Creates the account without a password, which its link sets. False: the name was taken meanwhile. */
async function createFor(
  context: AppContext,
  { id, username, group, quota, created_by: actorId, language }: InvitationRecord,
): Promise<boolean> {
  const invitations = context.db.collection('invitations');
  try {
    const account = { username, displayName: username, passwordHash: '', group, opening: quota, language, actorId };
    const user = await createAccount(context, { ...account, bound: { invitation_id: id } });
    await invitations.patch({ id, state: 'open' }, { set: { user_id: user.id } });
    return true;
  } catch (failure) {
    if (!(failure instanceof AppError) || failure.code !== 'username_taken') throw failure;
    await invitations.remove({ id });
    return false;
  }
}
