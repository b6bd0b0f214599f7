// Codes that were sent by mail: each for one purpose, one address and one person, for a few minutes, a few tries and one use. All of it in the
// database, so that any process answers. What strangers try, or ask for, does not use up the code of who asked elsewhere.
import { timingSafeEqual } from 'node:crypto';
import { foldEmail } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { VerificationCodeRecord } from '#server/db/records/verification-code.ts';

export interface CodeSubject {
  purpose: 'register' | 'bind' | 'reset';
  email: string;
  /** Whose account it is for; 0: nobody's yet, or whoever has the address. */
  userId: number;
  /** The subscriber's address of who asks or tries; absent: codes that nobody can guess, which are not counted. */
  place?: string | undefined;
}

type CodeContext = Pick<AppContext, 'db' | 'secrets' | 'now'>;

const maxAttempts = 5;

/**
 * Remembers a code, instead of the one before of the same place. It may also be entered elsewhere, unless somebody has asked for a newer one
 * since: a pointer to it has tries of its own.
 */
export async function issueCode(
  context: CodeContext,
  subject: CodeSubject,
  { code, seconds }: { code: string; seconds: number },
): Promise<void> {
  const fields = { code_hash: context.secrets.hash(code), tries: 0, expires_at: context.now() + seconds * 1000 };
  const codes = context.db.collection('verification_codes');
  const id = idOf(context, subject);
  await codes.patch({ id }, { set: fields }, { insertIfMissing: { id, ...fields } });
  const anywhere = idOf(context, { ...subject, place: undefined });
  if (anywhere === id) return;
  const pointer = { ...fields, code_id: id };
  await codes.patch({ id: anywhere }, { set: pointer }, { insertIfMissing: { id: anywhere, ...pointer } });
}

/** Whether it is the code. Attempts are counted before they are looked at, so that a thousand at once are no more than five. */
export async function isCode(context: CodeContext, subject: CodeSubject, given: string): Promise<boolean> {
  const codes = context.db.collection('verification_codes');
  const current = await currentCode(context, subject);
  if (current === null) return false;
  const { id } = current;
  const known = await codes.patch({ id, tries: { lt: maxAttempts }, expires_at: { gt: context.now() } }, { increment: { tries: 1 } });
  if (known === null || !isSame(known.code_hash, context.secrets.hash(given))) return false;
  await codes.patch({ id, code_hash: known.code_hash, tries: { gt: 0 } }, { increment: { tries: -1 } });
  return true;
}

/**
 * Whether it is the code, however often it was tried: for codes that nobody can guess. Counted, tries of a stranger would keep the owner
 * from using it.
 */
export async function isUnguessableCode(context: CodeContext, subject: CodeSubject, given: string): Promise<boolean> {
  const known = await context.db.collection('verification_codes').get(idOf(context, subject));
  return known !== null && known.expires_at > context.now() && isSame(known.code_hash, context.secrets.hash(given));
}

/** Uses up the code that `isCode` or `isUnguessableCode` found right; false when somebody was faster. */
export async function takeCode(context: CodeContext, subject: CodeSubject, code: string): Promise<boolean> {
  const current = await currentCode(context, subject);
  if (current === null) return false;
  const codes = context.db.collection('verification_codes');
  const codeHash = context.secrets.hash(code);
  // Wherever it is entered, it is one record that is taken.
  const taken = await codes.take({ id: current.code_id ?? current.id, code_hash: codeHash, expires_at: { gt: context.now() } });
  if (taken === null) return false;
  await codes.remove({ id: idOf(context, { ...subject, place: undefined }), code_hash: codeHash });
  return true;
}

/** The code that was asked for at that place, else the newest one. */
async function currentCode(context: CodeContext, subject: CodeSubject): Promise<VerificationCodeRecord | null> {
  const codes = context.db.collection('verification_codes');
  const own = subject.place === undefined ? null : await codes.get(idOf(context, subject));
  if (own !== null && own.expires_at > context.now()) return own;
  return codes.get(idOf(context, { ...subject, place: undefined }));
}

/** A code as people type it. */
export function tidyCode(given: string): string {
  return given.trim().toLowerCase();
}

/** Removes the codes that are too old; run from time to time. */
export function sweepCodes(context: AppContext): Promise<number> {
  return context.db.collection('verification_codes').remove({ expires_at: { lt: context.now() } });
}

function idOf({ secrets }: CodeContext, { purpose, email, userId, place }: CodeSubject): string {
  return secrets.hash(`code:${purpose}:${userId}:${foldEmail(email)}${place === undefined ? '' : `:${place}`}`);
}

function isSame(one: string, other: string): boolean {
  const [expected, actual] = [Buffer.from(one), Buffer.from(other)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
