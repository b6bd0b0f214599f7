import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryInt, QueryText } from '#shared/query-values.ts';
import { User } from '#shared/user.ts';

export const LoginInput = z.object({
  username: z.string().check(z.maxLength(200)),
  password: z.string().check(z.maxLength(200)),
  /** Solved challenge of an earlier `login_locked`: Base64 of the JSON `{challenge, solution}`, as ALTCHA's clients send it. */
  proof: z.optional(z.string().check(z.maxLength(4000))),
});
export type LoginInput = z.infer<typeof LoginInput>;

/** ALTCHA challenge, version 2, in `data` of a `login_locked`: the same login with its solution as `proof` is accepted at once. */
export const ProofChallenge = z.object({
  parameters: z.object({
    algorithm: z.string(),
    cost: z.int(),
    data: z.object({ subject: z.string(), until: z.int() }),
    keyLength: z.int(),
    keyPrefix: z.string(),
    keySignature: z.string(),
    nonce: z.string(),
    salt: z.string(),
  }),
  signature: z.string(),
});
export type ProofChallenge = z.infer<typeof ProofChallenge>;

/** Turnstile's proof that the client is a person; absent where none is required. */
export const TurnstileQuery = z.object({ turnstile: QueryText });

const LogoutQuery = z.object({
  /**
   * Milliseconds since the sign-out, if it is reported late: only a session that existed then is ended, so that a user who has signed in since stays
   * signed in. Absent: now.
   */
  ago_ms: QueryInt,
});

export const sessionApi = {
  login: endpoint('POST', '/api/user/login', {
    access: 'public',
    audit: { exempt: 'own_session' },
    query: TurnstileQuery,
    body: LoginInput,
    reply: User,
    summary: 'Sign in with a password; sets the session cookie',
  }),
  logout: endpoint('GET', '/api/user/logout', { access: 'public', query: LogoutQuery, summary: 'Sign out' }),
};
