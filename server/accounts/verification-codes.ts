// Codes that were sent by mail: each for one purpose, one address and one person, for a few minutes, a few tries and one use. All of it in the
// database, so that any process answers.
import { timingSafeEqual } from 'node:crypto';
import { foldEmail } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';

export interface CodeSubject {
  purpose: 'register' | 'bind' | 'reset';
  email: string;
  /** Whose account it is for; 0: nobody's yet, or whoever has the address. */
  userId: number;
}

type CodeContext = Pick<AppContext, 'db' | 'secrets' | 'now'>;

const mostTries = 5;

/** Remembers a code, instead of the one before. */
export async function issueCode(
  context: CodeContext,
  subject: CodeSubject,
  { code, seconds }: { code: string; seconds: number },
): Promise<void> {
  const id = idOf(context, subject);
  const fields = { code_hash: context.secrets.hash(code), tries: 0, expires_at: context.now() + seconds * 1000 };
  await context.db.collection('verification_codes').patch({ id }, { set: fields }, { insertIfMissing: { id, ...fields } });
}

/** Whether it is the code. Tries are counted before they are looked at, so that a thousand at once are no more than five. */
export async function isCode(context: CodeContext, subject: CodeSubject, given: string): Promise<boolean> {
  const codes = context.db.collection('verification_codes');
  const id = idOf(context, subject);
  const filter = { id, tries: { lt: mostTries }, expires_at: { gt: context.now() } };
  const known = await codes.patch(filter, { increment: { tries: 1 } });
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

/** Uses the code up; false when somebody was faster. */
export async function takeCode(context: CodeContext, subject: CodeSubject, code: string): Promise<boolean> {
  const id = idOf(context, subject);
  const filter = { id, code_hash: context.secrets.hash(code), tries: { lt: mostTries }, expires_at: { gt: context.now() } };
  return (await context.db.collection('verification_codes').take(filter)) !== null;
}

/** A code as people type it. */
export function tidyCode(given: string): string {
  return given.trim().toLowerCase();
}

/** Removes the codes that are too old; run from time to time. */
export function sweepCodes(context: AppContext): Promise<number> {
  return context.db.collection('verification_codes').remove({ expires_at: { lt: context.now() } });
}

function idOf({ secrets }: CodeContext, { purpose, email, userId }: CodeSubject): string {
  return secrets.hash(`code:${purpose}:${userId}:${foldEmail(email)}`);
}

function isSame(one: string, other: string): boolean {
  const [expected, actual] = [Buffer.from(one), Buffer.from(other)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
