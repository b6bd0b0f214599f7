// What administrators do with the bindings of others. Own bindings: `oauth.ts`.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { Binding } from '#shared/oauth.ts';
import { User } from '#shared/user.ts';

export const userBindingApi = {
  /** Answers the account as it is afterwards. */
  remove: endpoint('DELETE', '/api/user/:id/bindings/:binding', {
    access: 'admin',
    audit: { kind: 'user', action: 'binding_changed' },
    params: z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)), binding: Binding }),
    reply: User,
    summary: 'Remove a binding of a user',
  }),
};
