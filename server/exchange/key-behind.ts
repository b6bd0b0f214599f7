// Identifies the key of a channel without revealing it: objects in a provider's account belong to the key that created them.
import type { Secrets } from '#server/secrets/secrets.ts';
import type { PreparedChannel } from './prepared-channel.ts';

export function keyBehind(secrets: Pick<Secrets, 'hash'>, { key }: Pick<PreparedChannel, 'key'>): string {
  return secrets.hash(`objects behind ${key}`).slice(0, 22);
}
