import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { User } from '#shared/user.ts';

/** Own profile or password. Empty and absent fields stay as they are. */
export const SelfEdit = z.object({
  username: z.optional(z.string()),
  display_name: z.optional(z.string()),
  password: z.optional(z.string()),
  original_password: z.optional(z.string()),
  revision: z.optional(z.int()),
});
export type SelfEdit = z.infer<typeof SelfEdit>;

/** `groups`: of group `auto`, those that it stands for, in their order; `ratio` is the highest of theirs. */
export const GroupChoice = z.object({
  ratio: z.number(),
  desc: z.string(),
  groups: z.optional(z.array(z.string())),
  /** New tokens are in it unless they name another. */
  is_default: z.optional(z.boolean()),
});
export type GroupChoice = z.infer<typeof GroupChoice>;

export const accountApi = {
  self: endpoint('GET', '/api/user/self', { access: 'user', organisation: 'usage', reply: User, summary: 'Own account' }),
  edit: endpoint('PUT', '/api/user/self', {
    access: 'user',
    audit: { kind: 'user', action: 'changed' },
    body: SelfEdit,
    summary: 'Change own profile or password',
  }),
  remove: endpoint('DELETE', '/api/user/self', {
    access: 'user',
    audit: { kind: 'user', action: 'deleted' },
    summary: 'Delete own account',
  }),
  models: endpoint('GET', '/api/user/models', {
    access: 'user',
    organisation: 'member',
    reply: z.array(z.string()),
    summary: 'Names of the models that the caller may use',
  }),
  groups: endpoint('GET', '/api/user/self/groups', {
    access: 'user',
    organisation: 'member',
    reply: z.record(z.string(), GroupChoice),
    summary: 'Groups that the caller may choose for a token',
  }),
};
