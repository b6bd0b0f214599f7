// Identities at providers, and their accounts. A unique index guarantees that an identity belongs to one account at
// most.
import { AppError, type ErrorCode } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import { type Binding, bindingFields } from '#shared/oauth.ts';
import { markLeft } from '#server/accounts/left-identities.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import { subjectFields } from '#server/accounts/subject-fields.ts';
import type { AppContext } from '#server/context.ts';
import { onField, UniqueConflict } from '#server/db/collection.ts';
import { type Change, editRecord } from '#server/db/edit-record.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Settings } from '#server/settings/settings.ts';

export type Provider = Exclude<Binding, 'email'>;

export interface Identity {
  provider: Provider;
  /** Id that the provider never reassigns. */
  subject: string;
  /** Displayed name. */
  shown: string;
}

const boundElsewhere = {
  github: 'github_bound',
  oidc: 'oidc_bound',
  linuxdo: 'linuxdo_bound',
  wechat: 'wechat_bound',
  telegram: 'telegram_bound',
  email: 'email_taken',
} as const satisfies Record<Binding, ErrorCode>;

const isOn: Record<Provider, (settings: Settings) => boolean> = {
  github: (settings) => settings.get('GitHubOAuthEnabled'),
  oidc: (settings) => settings.get('oidc.enabled'),
  linuxdo: (settings) => settings.get('LinuxDOOAuthEnabled'),
  wechat: (settings) => settings.get('WeChatAuthEnabled'),
  telegram: (settings) => settings.get('TelegramOAuthEnabled'),
};

/** Reports whether sign-in with that provider is enabled. */
export function isProviderOn({ settings }: Pick<AppContext, 'settings'>, provider: Provider): boolean {
  return isOn[provider](settings);
}

/** Account fields of a binding. */
export function identityFields({ provider, subject, shown }: Identity): Partial<UserRecord> {
  return { [subjectFields[provider]]: subject, [bindingFields[provider]]: shown };
}

/** Finds the account of an identity, deleted or not. */
export function findByIdentity({ db }: Pick<AppContext, 'db'>, { provider, subject }: Omit<Identity, 'shown'>): Promise<UserRecord | null> {
  return db.collection('users').first(onField<UserRecord, (typeof subjectFields)[Provider]>(subjectFields[provider], subject));
}

/** Mailbox of an e-mail address: spellings of one mailbox are equal. */
export function foldEmail(email: string): string {
  const written = lowerCase(email);
  const at = written.lastIndexOf('@');
  if (at < 1) return written;
  const domain = written.slice(at + 1);
  const plus = written.indexOf('+', 1);
  const local = written.slice(0, plus === -1 || plus > at ? at : plus);
  return gmailDomains.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`;
}

/** Gmail ignores dots, and both domains are one (https://support.google.com/mail/answer/7436150). */
const gmailDomains: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com']);

function lowerCase(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

/** Finds the account of a verified e-mail address, deleted or not. */
export async function findByEmail({ db }: Pick<AppContext, 'db'>, email: string): Promise<UserRecord | null> {
  const users = db.collection('users');
  const [mailbox, written] = [foldEmail(email), lowerCase(email)];
  // Accounts of earlier versions may have the address as written, and two of them the same mailbox.
  const asWritten = mailbox === written ? null : await users.first({ email_folded: written });
  return asWritten ?? users.first({ email_folded: mailbox });
}

/** Returns the addresses whose mailbox an account has, deleted or not. */
export async function takenMailboxes({ db }: Pick<AppContext, 'db'>, emails: readonly string[]): Promise<ReadonlySet<string>> {
  const keysOf = (email: string): string[] => [foldEmail(email), lowerCase(email)];
  const found = await db.collection('users').find({ email_folded: { in: emails.flatMap(keysOf) } });
  const taken = new Set(found.map(({ email_folded: mailbox }) => mailbox));
  return new Set(emails.filter((email) => keysOf(email).some((key) => taken.has(key))));
}

/**
 * Adds mailboxes to accounts of earlier versions. Of several with the same one, the first gets it; the others stay with
 * their address.
 */
export async function foldStoredEmails({ db }: Pick<AppContext, 'db'>): Promise<void> {
  const users = db.collection('users');
  for await (const { id, email, email_folded: stored } of users.each({ email_folded: { exists: true } })) {
    const mailbox = foldEmail(email);
    if (stored === undefined || stored === mailbox || stored !== lowerCase(email)) continue;
    try {
      await users.patch({ id, email_folded: stored }, { set: { email_folded: mailbox } });
    } catch (failure) {
      if (!(failure instanceof UniqueConflict)) throw failure;
    }
  }
}

/**
 * Binds an identity, replacing an earlier one.
 * @throws {AppError} if it belongs to another account
 */
export function bindIdentity(context: AppContext, userId: number, identity: Identity): Promise<UserRecord> {
  return bind(context, userId, identity.provider, identityFields(identity));
}

/** Binds a verified e-mail address. @throws {AppError} `email_taken` */
export function bindEmail(context: AppContext, userId: number, email: string): Promise<UserRecord> {
  return bind(context, userId, 'email', { email, email_folded: foldEmail(email) });
}

async function bind(context: AppContext, userId: number, binding: Binding, set: Partial<UserRecord>): Promise<UserRecord> {
  try {
    return await changeIdentity(context, { userId, binding, change: () => ({ set }) });
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
    throw new AppError(boundElsewhere[binding], {}, { cause: failure });
  }
}

/**
 * Removes a binding. Administrators may remove the last one of others (`isOwn` false). `check` validates the account at
 * the time of the change.
 * @throws {AppError} `binding_missing`; `last_way_in` if the owner could not sign in any more
 */
export async function unbindIdentity(
  context: AppContext,
  { userId, binding, isOwn, check }: { userId: number; binding: Binding; isOwn: boolean; check?: (current: UserRecord) => void },
): Promise<UserRecord> {
  return changeIdentity(context, {
    userId,
    binding,
    change(current) {
      check?.(current);
      if (current[bindingFields[binding]] === '') throw new AppError('binding_missing');
      if (isOwn && !hasAnotherWayIn(context, current, binding)) throw new AppError('last_way_in');
      return { set: { [bindingFields[binding]]: '' }, unset: [subjectFields[binding]] };
    },
  });
}

interface IdentityChange {
  userId: number;
  binding: Binding;
  change(current: UserRecord): Change<UserRecord>;
}

/**
 * Changes a binding; the removed identity is marked first.
 * @throws {AppError} `user_not_found`
 */
async function changeIdentity(context: AppContext, { userId, binding, change }: IdentityChange): Promise<UserRecord> {
  const field = subjectFields[binding];
  for (;;) {
    const seen = await context.db.collection('users').first({ id: userId, DeletedAt: null });
    if (seen === null) throw new AppError('user_not_found');
    // A rejected change leaves no mark.
    const { set } = change(seen);
    const subject = seen[field];
    if (subject !== undefined && subject !== set[field]) await markLeft(context, { binding, subject, userId });
    const edited = await editRecord(context, 'users', {
      id: userId,
      where: { DeletedAt: null },
      present: presentUser,
      // The binding has changed meanwhile, and that identity must be marked first.
      change: (current) => (current[field] === subject ? change(current) : null),
    });
    if (edited === null) throw new AppError('user_not_found');
    if (edited.after !== edited.before) return edited.after;
  }
}

/** Reports whether the owner can sign in without that binding. */
function hasAnotherWayIn(context: AppContext, user: UserRecord, without: Binding): boolean {
  const hasPassword = user.password_hash !== '' && (context.settings.get('PasswordLoginEnabled') || user.role >= Role.root);
  if (hasPassword) return true;
  const providers: readonly Provider[] = ['github', 'oidc', 'linuxdo', 'wechat', 'telegram'];
  if (providers.some((provider) => provider !== without && user[subjectFields[provider]] !== undefined && isProviderOn(context, provider)))
    return true;
  // A password can be set by mail.
  const hasMail = without !== 'email' && user.email_folded !== undefined && context.mail.isConfigured;
  return hasMail && context.settings.get('PasswordLoginEnabled');
}
