// Base64 of a byte source, encoded while it is read, so that a file in a JSON body need not be in memory.
import type { ByteSource } from './byte-source.ts';

export function base64Of(source: ByteSource): ByteSource {
  return {
    size: Math.ceil(source.size / 3) * 4,
    async read(from, to) {
      const first = Math.floor(from / 4);
      const bytes = await source.read(first * 3, Math.min(source.size, Math.ceil(to / 4) * 3));
      return Buffer.from(bytes.toString('base64').slice(from - first * 4, to - first * 4), 'latin1');
    },
    hold: () => source.hold(),
  };
}
