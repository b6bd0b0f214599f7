// Exact decimal numbers for prices: 0.1 × 3 is 0.3. A value is `digits / 10^scale`.

export interface Decimal {
  digits: bigint;
  /** 0 or more. */
  scale: number;
}

export const one: Decimal = { digits: 1n, scale: 0 };

/** The decimal that a number is written as (`0.1` is one tenth). @throws {RangeError} when it is not finite */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) throw new RangeError(`Not a finite number: ${value}`);
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return shorten({ digits: a.digits * b.digits, scale: a.scale + b.scale });
}

/** Of one factor or more. */
export function product(...factors: number[]): number {
  return Number(decimalText(factors.map(decimalOf).reduce(multiply)));
}

/** Returns `a` / `b` cut off behind the twelfth decimal place: costs are rounded up. @param b above 0 */
export function quotient(a: Decimal, b: Decimal): number {
  const places = 12;
  const digits = (a.digits * 10n ** BigInt(places + b.scale)) / (b.digits * 10n ** BigInt(a.scale));
  return Number(decimalText({ digits, scale: places }));
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return shorten({ digits: digitsAt(a, scale) + digitsAt(b, scale), scale });
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { digits: -b.digits, scale: b.scale });
}

/** The digits with `scale` places. `scale` must not be below the value's own. */
export function digitsAt(value: Decimal, scale: number): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale);
}

/** The smallest whole number that is not below `value`; for values from 0 up. */
export function ceiling(value: Decimal): bigint {
  const unit = 10n ** BigInt(value.scale);
  return (value.digits + unit - 1n) / unit;
}

/** `12.5`, `-0.001`, `300`: never with an exponent. */
export function decimalText(value: Decimal): string {
  const { digits, scale } = shorten(value);
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function shorten(value: Decimal): Decimal {
  let { digits, scale } = value;
  while (scale > 0 && digits % 10n === 0n) {
    digits /= 10n;
    scale -= 1;
  }
  return { digits, scale };
}
