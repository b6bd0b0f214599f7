import type { Member } from '#shared/organisations.ts';

export function memberName({ display_name: name, username }: Pick<Member, 'display_name' | 'username'>): string {
  return name === '' ? username : name;
}
