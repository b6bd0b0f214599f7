import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { TurnstileQuery } from '#shared/session.ts';
import { User } from '#shared/user.ts';

export const RegisterInput = z.object({
  username: z.string().check(z.maxLength(200)),
  password: z.string().check(z.maxLength(200)),
  password2: z.optional(z.string().check(z.maxLength(200))),
  email: z.optional(z.string().check(z.maxLength(200))),
  verification_code: z.optional(z.string().check(z.maxLength(100))),
  aff_code: z.optional(z.string().check(z.maxLength(64))),
});
export type RegisterInput = z.infer<typeof RegisterInput>;

export const registrationApi = {
  register: endpoint('POST', '/api/user/register', {
    access: 'public',
    audit: { kind: 'user', action: 'created' },
    query: TurnstileQuery,
    body: RegisterInput,
    /** Absent: the account is there, and signs in another way. */
    reply: z.optional(User),
    summary: 'Register with a password; signs in and sets the session cookie where passwords sign in',
  }),
};
