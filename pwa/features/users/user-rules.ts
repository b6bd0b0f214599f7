// Permissions between accounts. The server decides; this hides buttons that it would refuse, and gives the reason.
import { mayActOn, Role } from '#shared/roles.ts';
import { type User, UserStatus } from '#shared/user.ts';
import { type ManageAction } from '#shared/users.ts';

export type Refusal = 'deleted' | 'same_level' | 'promote_root_only' | 'already_admin' | 'already_user' | 'root_fixed' | 'locked';

type Person = Pick<User, 'role' | 'status' | 'DeletedAt'>;

/** Reason why an actor cannot edit an account; undefined if allowed. */
export function editRefusal(actor: Pick<User, 'role'>, target: Person): Refusal | undefined {
  if (target.DeletedAt !== null) return 'deleted';
  return mayActOn(actor.role, target.role) ? undefined : 'same_level';
}

/** Why an action is not possible; undefined when it is. */
export function refusal(action: ManageAction, actor: Pick<User, 'role'>, target: Person): Refusal | undefined {
  const general = editRefusal(actor, target);
  if (general !== undefined) return general;
  switch (action) {
    case 'promote':
      if (actor.role < Role.root) return 'promote_root_only';
      return target.role >= Role.admin ? 'already_admin' : undefined;
    case 'demote':
      if (target.role >= Role.root) return 'root_fixed';
      return target.role <= Role.user ? 'already_user' : undefined;
    case 'enable':
      return target.status === UserStatus.locked ? 'locked' : undefined;
    case 'disable':
    case 'delete':
      return target.role >= Role.root ? 'root_fixed' : undefined;
  }
}

/** The actions that mean something in the present state: not both of a pair. */
export function actionsFor(target: Person): ManageAction[] {
  return [target.role >= Role.admin ? 'demote' : 'promote', target.status === UserStatus.active ? 'disable' : 'enable', 'delete'];
}
