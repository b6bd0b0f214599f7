// Readings of a credential: which token's key it may be. What follows the first `-` of a key is the number of a channel that an administrator
// pins; keys of other gateways contain `-` themselves, so the whole text counts first.

export interface KeyReading {
  /** Bare key, without `sk-`. */
  key: string;
  /** Text after the first `-`, if this reading leaves it out. */
  suffix: string | undefined;
}

/** Maximum characters of a key. Tidegate's have 48, imported ones may have more. */
export const longestKey = 256;

export function bareKey(credential: string): string {
  const key = /^bearer\s/i.test(credential) ? credential.slice(7).trim() : credential.trim();
  return key.startsWith('sk-') ? key.slice(3) : key;
}

/** Returns one or two readings, in the order in which they are tried; none if the key is empty or too long. */
export function readingsOf(bare: string): readonly KeyReading[] {
  const whole = { key: bare, suffix: undefined };
  const [cut = '', suffix] = bare.split('-', 2);
  const readings: readonly KeyReading[] = suffix === undefined ? [whole] : [whole, { key: cut, suffix }];
  return readings.filter(({ key }) => key !== '' && key.length <= longestKey);
}

/** Returns what the first reading finds that finds anything. */
export async function findByReadings<Found>(
  readings: readonly KeyReading[],
  find: (key: string) => Promise<Found | null>,
): Promise<Found | null> {
  for (const { key } of readings) {
    const found = await find(key);
    if (found !== null) return found;
  }
  return null;
}
