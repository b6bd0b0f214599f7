// Whose stored objects a caller reaches. In an organisation, objects belong to the member whose key has stored them, or to the service accounts.
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

export interface ObjectOwner {
  /** Account that pays. */
  readonly userId: number;
  /** Member of an organisation; 0: its service accounts. Undefined for an account of a person, and for work that concerns all of an account. */
  readonly memberId?: number | undefined;
}

/** Owner of what a caller stores. */
export function ownerIn({
  user,
  token,
}: {
  readonly user: Pick<UserRecord, 'id' | 'kind'>;
  readonly token: Pick<TokenRecord, 'member_id'> | null;
}): ObjectOwner {
  return user.kind === 'organisation' ? { userId: user.id, memberId: token?.member_id ?? 0 } : { userId: user.id };
}

/** Owner of a stored object. Undefined `memberId` for service accounts, as for persons. */
export function ownerOfRecord({ user_id: userId, member_id: memberId }: { user_id: number; member_id?: number }): ObjectOwner {
  return { userId, memberId };
}

/** Fields of a stored object. Objects of service accounts have no member, as those that were stored before members had their own. */
export function ownerFields({ userId, memberId = 0 }: ObjectOwner): { user_id: number; member_id?: number } {
  return { user_id: userId, ...(memberId === 0 ? {} : { member_id: memberId }) };
}

/** Filter for the objects of an owner. */
export function ofOwner(owner: ObjectOwner): { user_id: number } & MemberFilter {
  return { user_id: owner.userId, ...memberFilter(owner) };
}

interface MemberFilter {
  member_id?: number | { exists: false };
}

/** The same without the account, which the query names otherwise. */
export function memberFilter({ memberId }: ObjectOwner): MemberFilter {
  if (memberId === undefined) return {};
  return { member_id: memberId === 0 ? { exists: false } : memberId };
}

/** Reports whether a stored object belongs to the owner. */
export function isOwned(record: { user_id: number; member_id?: number | undefined }, { userId, memberId }: ObjectOwner): boolean {
  return record.user_id === userId && (memberId === undefined || (record.member_id ?? 0) === memberId);
}
