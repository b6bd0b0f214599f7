// Forms of the key of a channel to ChatGPT accounts: the sign-in file of Codex (`auth.json`), or its tokens alone. Used by the console's form and by
// the server.
import { z } from 'zod/mini';

/** As it can travel in a header. */
const Token = z.string().check(z.regex(/^[\x21-\x7e]+$/));
const Tokens = z.object({ access_token: Token, account_id: Token, refresh_token: z.optional(z.string()) });
const KeyFile = z.union([z.object({ tokens: Tokens }), Tokens]);

export type CodexKey = z.infer<typeof Tokens>;

/** Null: it is none that can be used. */
export function readCodexKey(text: string): CodexKey | null {
  try {
    const file = z.safeParse(KeyFile, JSON.parse(text)).data ?? null;
    return file !== null && 'tokens' in file ? file.tokens : file;
  } catch {
    return null;
  }
}
