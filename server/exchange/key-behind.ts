// Hash of a channel's key, stored with objects that exist in its provider's account: only the same key can use them.
import type { Secrets } from '#server/secrets/secrets.ts';
import type { PreparedChannel } from './prepared-channel.ts';

export function keyBehind(secrets: Pick<Secrets, 'hash'>, { key }: Pick<PreparedChannel, 'key'>): string {
  return secrets.hash(`objects behind ${key}`).slice(0, 22);
}
