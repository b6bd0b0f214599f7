import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { User } from '#shared/user.ts';

export const SetupStatus = z.object({
  status: z.boolean(),
  root_init: z.boolean(),
  database_type: z.string(),
  /** The server was started with SETUP_SECRET, which the wizard must request. False once set up. */
  secret_required: z.boolean(),
});
export const SetupInput = z.object({
  username: z.optional(z.string().check(z.maxLength(200))),
  password: z.optional(z.string().check(z.maxLength(200))),
  confirmPassword: z.optional(z.string().check(z.maxLength(200))),
  SelfUseModeEnabled: z.optional(z.boolean()),
  DemoSiteEnabled: z.optional(z.boolean()),
  setup_secret: z.optional(z.string().check(z.maxLength(200))),
});
export type SetupInput = z.infer<typeof SetupInput>;

export const setupApi = {
  /** `database_type` is `sqlite` or `mongodb`, and empty once set up. */
  status: endpoint('GET', '/api/setup', { access: 'public', reply: SetupStatus, summary: 'Whether the first-run set-up is done' }),
  /** Signs the new super admin in and returns the account; nothing when the account was there before. */
  submit: endpoint('POST', '/api/setup', {
    access: 'public',
    audit: { kind: 'user', action: 'created' },
    body: SetupInput,
    reply: z.optional(User),
    summary: 'Create the super admin, choose the mode and sign in',
  }),
};
