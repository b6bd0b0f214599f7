// Reports the faulty lines of a list, in queries over all of them: names and mailboxes that are taken, or already invited.
import { tidyName, type UsernameProblem, usernameProblem } from '#shared/account-rules.ts';
import type { Delivery, InvitationLine, LineProblem } from '#shared/invitations.ts';
import { emailProblem } from '#server/accounts/email-rules.ts';
import { foldName, takenNames } from '#server/accounts/folded-name.ts';
import { foldEmail, takenMailboxes } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { InvitationRecord } from '#server/db/records/invitation.ts';

export const usualGroup = 'default';

/** A line as it is stored. */
export function tidyLine({ username, email, group, quota }: InvitationLine): InvitationLine {
  return { username: tidyName(username), email: email.trim(), group: group.trim() === '' ? usualGroup : group.trim(), quota };
}

export interface CheckedLine {
  line: number;
  problem: LineProblem;
}

/** The lines that are not taken, each with its first problem. */
export async function checkLines(context: AppContext, given: readonly InvitationLine[], delivery: Delivery): Promise<CheckedLine[]> {
  const lines = given.map(tidyLine);
  const emails = lines.flatMap(({ email }) => (email === '' ? [] : [email]));
  const invitations = context.db.collection('invitations');
  const [names, mailboxes, byName, byMailbox] = await Promise.all([
    takenNames(
      context,
      lines.map(({ username }) => username),
    ),
    takenMailboxes(context, emails),
    invitations.find({ open_name: { in: lines.map(({ username }) => foldName(username)) } }),
    invitations.find({ open_mailbox: { in: emails.map(foldEmail) } }),
  ]);
  const openNames = new Map(byName.map((invitation) => [invitation.open_name, invitation]));
  const openMailboxes = new Set(byMailbox.map(({ open_mailbox: mailbox }) => mailbox));
  const seen = { names: new Set<string>(), mailboxes: new Set<string>() };
  return lines.flatMap((line, index): CheckedLine[] => {
    const name = foldName(line.username);
    const mailbox = line.email === '' ? undefined : foldEmail(line.email);
    const problem =
      ruleProblem(context, line, delivery) ??
      (seen.names.has(name) ? 'name_twice' : undefined) ??
      (mailbox !== undefined && seen.mailboxes.has(mailbox) ? 'mailbox_twice' : undefined) ??
      invitedProblem(line, openNames.get(name)) ??
      (names.has(name) ? 'name_taken' : undefined) ??
      (mailbox !== undefined && openMailboxes.has(mailbox) ? 'mailbox_invited' : undefined) ??
      (mailboxes.has(line.email) ? 'mailbox_taken' : undefined);
    seen.names.add(name);
    if (mailbox !== undefined) seen.mailboxes.add(mailbox);
    return problem === undefined ? [] : [{ line: index, problem }];
  });
}

const nameProblems: Record<UsernameProblem, LineProblem> = {
  username_required: 'name_required',
  username_long: 'name_long',
  username_address: 'name_address',
  username_characters: 'name_characters',
};

/** What is wrong with a line by itself. */
function ruleProblem({ settings }: AppContext, { username, email, group }: InvitationLine, delivery: Delivery): LineProblem | undefined {
  const problem = usernameProblem(username);
  if (problem !== undefined) return nameProblems[problem];
  if (email === '' && delivery === 'mail') return 'mail_required';
  const refusal = email === '' ? undefined : emailProblem(settings, email);
  if (refusal !== undefined) return refusal === 'email_invalid' ? 'mail_invalid' : 'mail_refused';
  return Object.hasOwn(settings.get('GroupRatio'), group) ? undefined : 'group_unknown';
}

function invitedProblem(line: InvitationLine, open: InvitationRecord | undefined): LineProblem | undefined {
  if (open === undefined) return undefined;
  const isSame = open.username === line.username && open.email === line.email && open.group === line.group && open.quota === line.quota;
  return isSame ? 'same' : 'name_invited';
}
