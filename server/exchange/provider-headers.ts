// Merges the headers of any request to a channel's provider.
import type { PreparedChannel } from './prepared-channel.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * Headers set by the operator replace all others. Names are in lower case.
 * @param written later ones win
 */
export function headersTo({ providerHeaders }: Pick<PreparedChannel, 'providerHeaders'>, ...written: readonly Headers[]): Headers {
  const all: Record<string, string> = {};
  for (const headers of [...written, providerHeaders]) Object.assign(all, headers);
  return all;
}
