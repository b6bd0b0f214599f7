import type { Redemption } from '#shared/redemptions.ts';

const stars = '**********';

/** Form of a code that identifies it and redeems nothing; it is stored on this device for use without a network. */
export function maskCode(key: string): string {
  return key === '' || key.includes('*') ? key : `${key.slice(0, 4)}${stars}${key.slice(-4)}`;
}

/** The same in the room of a card. */
export function codeEnds(key: string): string {
  return key === '' ? '' : `${key.slice(0, 4)}…${key.slice(-4)}`;
}

/** Undefined when only its mask is here, or nothing can be read. */
export function wholeCode({ key }: Pick<Redemption, 'key'>): string | undefined {
  return key === '' || key.includes('*') ? undefined : key;
}

/** One per line, with the name before it, as lists of codes are handed on. */
export function codeLines(codes: readonly Pick<Redemption, 'name' | 'key'>[]): string {
  return codes
    .flatMap((code) => {
      const key = wholeCode(code);
      return key === undefined ? [] : [`${code.name}    ${key}`];
    })
    .join('\n');
}
