// Headers of a request to a channel's provider, whatever kind of request it is.
import type { PreparedChannel } from './prepared-channel.ts';

type Headers = Readonly<Record<string, string>>;

/** What the channel's operator has set takes the place of any other. Names are in small letters. @param written the later ones count */
export function headersTo({ providerHeaders }: Pick<PreparedChannel, 'providerHeaders'>, ...written: readonly Headers[]): Headers {
  const all: Record<string, string> = {};
  for (const headers of [...written, providerHeaders]) Object.assign(all, headers);
  return all;
}
