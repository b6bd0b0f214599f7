/** Roles of an account, as the specification numbers them. */
export const Role = { guest: 0, user: 1, admin: 10, root: 100 } as const;

/** Under which name texts have a role. */
export function roleName(role: number): 'root' | 'admin' | 'user' {
  return role >= Role.root ? 'root' : role >= Role.admin ? 'admin' : 'user';
}

/** True when someone of role `actor` may change someone of role `target`: only those below, except for root. */
export function mayActOn(actor: number, target: number): boolean {
  return actor >= Role.root || actor > target;
}
