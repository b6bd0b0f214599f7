// Advice on the master key after a move: records are encrypted with the key of the source.
import type { DatabaseUrl } from '#server/db/database-url.ts';
import { keyFileOf } from '#server/secrets/master-key.ts';

export function keyAdvice(from: DatabaseUrl, to: DatabaseUrl): string {
  const [before, after] = [keyFileOf(from), keyFileOf(to)];
  if (before === null) return 'Start the servers on it with the same SESSION_SECRET as before.';
  if (after === null)
    return `Start the servers on it with SESSION_SECRET set to the text in ${before}, or to the same SESSION_SECRET as before.`;
  return `Start the server on it with a copy of ${before} as ${after}, or with the same SESSION_SECRET as before.`;
}
