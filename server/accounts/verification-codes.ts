// Mailed codes: for one purpose, address and user; valid for a few minutes, a few attempts and one use. Stored in the
// database, so that any process can verify them. Attempts and requests of strangers do not use up a code requested
// elsewhere.
import { timingSafeEqual } from 'node:crypto';
import { foldEmail } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { VerificationCodeRecord } from '#server/db/records/verification-code.ts';

export interface CodeSubject {
  purpose: 'register' | 'bind' | 'reset';
  email: string;
  /** User whose account it is for; 0 for none yet, or for the owner of the address. */
  userId: number;
  /** Address of the requester; undefined for unguessable codes, whose attempts are not counted. */
  place?: string | undefined;
}

type CodeContext = Pick<AppContext, 'db' | 'secrets' | 'now'>;

const maxAttempts = 5;

/**
 * Stores a code, replacing the previous one of the same place. It may also be entered elsewhere, until a newer one is
 * requested: a pointer to it counts those attempts.
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

/**
 * Reports whether the code is right. Attempts are counted before the comparison, so that a thousand concurrent ones are
 * no more than five.
 */
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

/** Same for unguessable codes, without counting attempts: a stranger's would block the owner. */
export async function isUnguessableCode(context: CodeContext, subject: CodeSubject, given: string): Promise<boolean> {
  const known = await context.db.collection('verification_codes').get(idOf(context, subject));
  return known !== null && known.expires_at > context.now() && isSame(known.code_hash, context.secrets.hash(given));
}

/** Uses up a code verified by `isCode` or `isUnguessableCode`; returns false if it was used concurrently. */
export async function takeCode(context: CodeContext, subject: CodeSubject, code: string): Promise<boolean> {
  const current = await currentCode(context, subject);
  if (current === null) return false;
  const codes = context.db.collection('verification_codes');
  const codeHash = context.secrets.hash(code);
  // Wherever it is entered, the same record is removed.
  const taken = await codes.take({ id: current.code_id ?? current.id, code_hash: codeHash, expires_at: { gt: context.now() } });
  if (taken === null) return false;
  await codes.remove({ id: idOf(context, { ...subject, place: undefined }), code_hash: codeHash });
  return true;
}

/** The code requested at that place, else the newest one. */
async function currentCode(context: CodeContext, subject: CodeSubject): Promise<VerificationCodeRecord | null> {
  const codes = context.db.collection('verification_codes');
  const own = subject.place === undefined ? null : await codes.get(idOf(context, subject));
  if (own !== null && own.expires_at > context.now()) return own;
  return codes.get(idOf(context, { ...subject, place: undefined }));
}

/** Normalizes a typed code. */
export function tidyCode(given: string): string {
  return given.trim().toLowerCase();
}

/** Removes expired codes; run periodically. */
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
