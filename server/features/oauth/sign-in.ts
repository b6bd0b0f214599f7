// Gives an identity of a provider a session: of the account that is bound to it, or of a new one.
import { AppError, type Language } from '#shared/errors.ts';
import { displayNameProblem, tidyName, usernameProblem } from '#shared/account-rules.ts';
import { displayNameLimit, usernameLimit, UserStatus } from '#shared/user.ts';
import { AlreadyBound, createAccount, findInviter } from '#server/accounts/create-account.ts';
import { emailProblem } from '#server/accounts/email-rules.ts';
import { bindIdentity, findByEmail, findByIdentity, foldEmail, identityFields } from '#server/accounts/identities.ts';
import { isInDomains } from '#server/accounts/members.ts';
import { subjectFields } from '#server/accounts/subject-fields.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { limitRegistrations } from '#server/accounts/registration-limit.ts';
import type { Person } from './provider.ts';

const nameAttempts = 20;
const fallbackNames = {
  github: 'GitHub User',
  oidc: 'OIDC User',
  linuxdo: 'Linux DO User',
  wechat: 'WeChat User',
  telegram: 'Telegram User',
};

/** The account to sign in to. @throws {AppError} when it is banned or deleted, or none may be made */
export async function findOrRegister(
  context: AppContext,
  { person, inviteCode, facts }: { person: Person; inviteCode: string; facts: RequestFacts },
): Promise<UserRecord> {
  const known = (await findByIdentity(context, person)) ?? (await takeOverProvisioned(context, person));
  if (known !== null) return checkMayEnter(known);
  if (!context.settings.get('RegisterEnabled')) throw new AppError('registration_closed');
  await limitRegistrations(context, facts);
  return register(context, person, { inviteCode, language: facts.language });
}

/**
 * Binds the identity to the account that an organisation's client of SCIM has made for its verified address, if it has no way in yet and the address is
 * still in a domain of that organisation. Null if there is none.
 */
async function takeOverProvisioned(context: AppContext, person: Person): Promise<UserRecord | null> {
  if (person.provider !== 'oidc' || person.email === '') return null;
  const user = await findByEmail(context, person.email);
  if (user?.provisioned_by === undefined || user.DeletedAt !== null || user.password_hash !== '') return null;
  // Found by the mailbox: `mary+x` may be another person at a provider.
  if (user.email.toLowerCase() !== person.email.toLowerCase()) return null;
  const isUsed = Object.entries(subjectFields).some(([binding, field]) => binding !== 'email' && user[field] !== undefined);
  const organisation = isUsed ? null : await context.db.collection('organisations').get(user.provisioned_by);
  if (organisation === null || organisation.DeletedAt !== null || !isInDomains(organisation, person.email)) return null;
  return bindIdentity(context, user.id, person);
}

/** @throws {AppError} `account_deleted`, `sign_in_banned` */
export function checkMayEnter(user: UserRecord): UserRecord {
  if (user.DeletedAt !== null) throw new AppError('account_deleted');
  if (user.status !== UserStatus.active) throw new AppError('sign_in_banned');
  return user;
}

async function register(
  context: AppContext,
  person: Person,
  { inviteCode, language }: { inviteCode: string; language: Language },
): Promise<UserRecord> {
  const inviter = await findInviter(context, inviteCode);
  const displayName = tidyName(Array.from(person.displayName).slice(0, displayNameLimit).join(''));
  const isNamed = displayName !== '' && displayNameProblem(displayName) === undefined;
  const account = { displayName: isNamed ? displayName : fallbackNames[person.provider], passwordHash: '', inviter, actorId: 0, language };
  let email = await usableEmail(context, person.email);
  for (let attempt = 1; ; attempt += 1) {
    const isOwnName = attempt === 1 && usernameProblem(person.username) === undefined;
    try {
      return await createAccount(context, {
        ...account,
        username: isOwnName ? tidyName(person.username) : madeUpName(context, person.provider),
        bound: { ...identityFields(person), ...(email === '' ? {} : { email, email_folded: foldEmail(email) }) },
      });
    } catch (failure) {
      if (attempt === nameAttempts) throw failure;
      if (failure instanceof AlreadyBound) {
        // Two answers at once: the other one has made the account.
        const made = await findByIdentity(context, person);
        if (made !== null) return checkMayEnter(made);
        email = '';
      } else if (!(failure instanceof AppError) || failure.code !== 'username_taken') throw failure;
    }
  }
}

/**
 * Returns an address that no account has. An account is never found by its address: otherwise a provider that confirms foreign addresses would give
 * access to the account.
 */
async function usableEmail(context: AppContext, email: string): Promise<string> {
  if (email === '' || emailProblem(context.settings, email) !== undefined) return '';
  return (await findByEmail(context, email)) === null ? email : '';
}

/** `github_k3x9a`: as long as a name may be. */
function madeUpName(context: AppContext, provider: Person['provider']): string {
  const head = `${provider}_`;
  return head + context.randomText(usernameLimit - head.length).toLowerCase();
}
