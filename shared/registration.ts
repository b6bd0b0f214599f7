import { z } from 'zod';
import { endpoint } from '#shared/contract.ts';
import { TurnstileQuery } from '#shared/session.ts';

export const RegisterInput = z.object({
  username: z.string().max(200),
  password: z.string().max(200),
  password2: z.string().max(200).optional(),
  email: z.string().max(200).optional(),
  verification_code: z.string().max(100).optional(),
  aff_code: z.string().max(64).optional(),
});
export type RegisterInput = z.infer<typeof RegisterInput>;

export const registrationApi = {
  register: endpoint('POST', '/api/user/register', {
    access: 'public',
    query: TurnstileQuery,
    body: RegisterInput,
    summary: 'Register with a password',
  }),
};
