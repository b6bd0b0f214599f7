// Password hashes of other gateways, as `password_hash` stores them until the first sign-in replaces them.

/** bcrypt, in its own form. The cost is bounded: each step doubles the time. */
const bcrypt = /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

/**
 * Returns the stored form of another gateway's hash: bcrypt (`$2a$`, `$2b$`, `$2y$`), or of LiteLLM `scrypt:`, `pbkdf2:`
 * or a hexadecimal SHA-256. Returns null for any other text: a password in clear, which has to be hashed, or a hash
 * that nobody can use.
 */
export function importedPasswordHash(text: string): string | null {
  if (bcrypt.test(text)) return text;
  if (/^[0-9a-f]{64}$/i.test(text)) return `sha256$${Buffer.from(text, 'hex').toString('base64url')}`;
  const [kind, encoded = ''] = text.split(':');
  const bytes = Buffer.from(encoded, 'base64');
  if ((kind !== 'scrypt' && kind !== 'pbkdf2') || bytes.length !== 48) return null;
  const [salt, key] = [bytes.subarray(0, 16), bytes.subarray(16)].map((part) => part.toString('base64url'));
  return kind === 'scrypt' ? `scrypt-raw$14$8$1$${salt}$${key}` : `pbkdf2-sha256$600000$${salt}$${key}`;
}
