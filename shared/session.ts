import { z } from 'zod';
import { endpoint } from '#shared/contract.ts';
import { QueryInt, QueryText } from '#shared/envelope.ts';
import { User } from '#shared/user.ts';

export const LoginInput = z.object({ username: z.string().max(200), password: z.string().max(200) });
export type LoginInput = z.infer<typeof LoginInput>;

export const RegisterInput = z.object({
  username: z.string().max(200),
  password: z.string().max(200),
  password2: z.string().max(200).optional(),
  email: z.string().max(200).optional(),
  verification_code: z.string().max(100).optional(),
  aff_code: z.string().max(64).optional(),
});
export type RegisterInput = z.infer<typeof RegisterInput>;

const TurnstileQuery = z.object({ turnstile: QueryText });

const LogoutQuery = z.object({
  /**
   * Milliseconds since the sign-out, of one that is told late: only a session that was there by then is ended, so that nobody
   * who has signed in since is signed out. Absent: now.
   */
  ago_ms: QueryInt,
});

export const sessionApi = {
  register: endpoint('POST', '/api/user/register', {
    access: 'public',
    query: TurnstileQuery,
    body: RegisterInput,
    summary: 'Register with a password',
  }),
  login: endpoint('POST', '/api/user/login', {
    access: 'public',
    query: TurnstileQuery,
    body: LoginInput,
    reply: User,
    summary: 'Sign in with a password; sets the session cookie',
  }),
  logout: endpoint('GET', '/api/user/logout', { access: 'public', query: LogoutQuery, summary: 'Sign out' }),
};
