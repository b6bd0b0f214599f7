import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

/** Records that name a group are counted up to this many; one more means more. */
export const mostCounted = 10_000;

/** What names a group. `lists`: keys of group `auto` whose list has it; `invitations`: open ones. */
export const GroupUses = z.object({ users: z.int(), keys: z.int(), channels: z.int(), lists: z.int(), invitations: z.int() });
export type GroupUses = z.infer<typeof GroupUses>;

/** How a figure of `GroupUses` is written in a sentence. */
export function usesText(count: number): string {
  return count > mostCounted ? `>${mostCounted}` : String(count);
}

/** What is done next for a group whose users, keys and channels go to another one; in this order. */
export const GroupStep = z.enum(['channels', 'accounts', 'leave', 'settings', 'rest']);
export type GroupStep = z.infer<typeof GroupStep>;

/** A group on its way into another one: its new name, or one that takes what it had. */
export const GroupMove = z.object({
  from: z.string(),
  to: z.string(),
  step: GroupStep,
  /** Unix seconds. */
  started_at: z.int(),
});
export type GroupMove = z.infer<typeof GroupMove>;

const GroupName = z.string().check(z.minLength(1), z.maxLength(64));

export const groupApi = {
  uses: endpoint('GET', '/api/group/uses', {
    access: 'admin',
    query: z.object({ name: GroupName }),
    reply: GroupUses,
    summary: 'Count the users, keys, channels and invitations of a group',
  }),
  /** The one that is under way; null: none is. */
  move: endpoint('GET', '/api/group/move', { access: 'admin', reply: z.nullable(GroupMove), summary: 'Rename of a group in progress' }),
  /** Takes about two minutes, in which calls are served under both names. */
  rename: endpoint('POST', '/api/group/rename', {
    access: 'admin',
    audit: { kind: 'group', action: 'renamed', by: 'call', object: 'name' },
    body: z.object({ name: GroupName, to: GroupName }),
    reply: GroupMove,
    summary: 'Rename a group with its users, keys and channels',
  }),
  /** Without `to`, a group that is in use is refused as `group_in_use`; null: nothing named it, and it is gone. */
  remove: endpoint('POST', '/api/group/remove', {
    access: 'admin',
    audit: { kind: 'group', action: 'deleted', by: 'call', object: 'name' },
    body: z.object({ name: GroupName, to: z.optional(GroupName) }),
    reply: z.nullable(GroupMove),
    summary: 'Remove a group, or move what is in it to another one',
  }),
};
