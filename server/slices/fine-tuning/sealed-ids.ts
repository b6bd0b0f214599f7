// Seals the provider's ids of a job's events and checkpoints. Sealing is deterministic, so clients recognize ids, and
// nothing has to be stored.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Secrets } from '#server/secrets/secrets.ts';

type Hashing = Pick<Secrets, 'hash'>;

const cipher = 'aes-256-ctr';
const markBytes = 16;
/** Maximum length of a sealed id. */
const longest = 1024;

/** @param owner context that the id is bound to */
export function sealName(secrets: Hashing, owner: string, name: string): string {
  const mark = markOf(secrets, owner, name);
  const sealing = createCipheriv(cipher, keyOf(secrets, owner), mark);
  return Buffer.concat([mark, sealing.update(name, 'utf8'), sealing.final()]).toString('base64url');
}

/** Returns null if it was not sealed for that owner. */
export function openName(secrets: Hashing, owner: string, sealed: string): string | null {
  if (sealed.length > longest || !/^[\w-]+$/.test(sealed)) return null;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= markBytes) return null;
  const mark = bytes.subarray(0, markBytes);
  const opening = createDecipheriv(cipher, keyOf(secrets, owner), mark);
  const name = Buffer.concat([opening.update(bytes.subarray(markBytes)), opening.final()]).toString('utf8');
  return markOf(secrets, owner, name).equals(mark) ? name : null;
}

function keyOf({ hash }: Hashing, owner: string): Buffer {
  return Buffer.from(hash(`names within ${owner}`), 'base64url');
}

/** Derived from the id, so that modified seals do not match. */
function markOf({ hash }: Hashing, owner: string, name: string): Buffer {
  return Buffer.from(hash(`name within ${owner}: ${name}`), 'base64url').subarray(0, markBytes);
}
