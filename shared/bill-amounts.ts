// Amounts and counts as exports write them, read exactly.
import { type Decimal, decimalText } from '#shared/decimal.ts';

export type DecimalSign = '.' | ',';

/** Digits on either side of the point that an amount may have. */
const mostDigits = 30;
const largestExponent = 30;

/**
 * An amount as a decimal. Accepts a sign (also at the end, or brackets for negative amounts), groups of three digits, one currency sign or code, and
 * an exponent. `1.234,56` is 1234.56 only where the decimal sign is the comma; what could be read in two ways is no amount.
 */
export function amountOf(text: string, decimalSign: DecimalSign = '.'): Decimal | undefined {
  const bare = text
    .replace(/[\s\u00A0\u202F]/g, '')
    .replace(/[−–]/g, '-')
    .replace(/^([-+(]?)(?:\p{Sc}|[A-Z]{3}\p{Sc}?|[A-Z]{2}\p{Sc})/u, '$1')
    .replace(/(?:\p{Sc}|[A-Z]{3})([-)]?)$/u, '$1');
  const inBrackets = /^\((.*)\)$/.exec(bare)?.[1];
  const trailing = /^([^-+].*)-$/.exec(bare)?.[1];
  const [point, group] = decimalSign === '.' ? ['\\.', ','] : [',', '\\.'];
  const pattern = new RegExp(
    `^([-+]?)(?:\\p{Sc})?(\\d{1,3}(?:(?:${group}|')\\d{3})+|\\d*)(?:${point}(\\d*))?(?:[eE]([-+]?\\d{1,3}))?$`,
    'u',
  );
  const parts = pattern.exec(inBrackets ?? trailing ?? bare);
  if (parts === null) return undefined;
  const [, sign = '', grouped = '', fraction = '', exponent = '0'] = parts;
  const whole = grouped.replace(/\D/g, '');
  if (whole + fraction === '' || whole.length > mostDigits || fraction.length > mostDigits) return undefined;
  if (Math.abs(Number(exponent)) > largestExponent) return undefined;
  const isNegative = (sign === '-') !== (inBrackets !== undefined || trailing !== undefined);
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction) * (isNegative ? -1n : 1n);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** A whole number from 0 up. */
export function countOf(text: string, decimalSign: DecimalSign = '.'): number | undefined {
  const amount = amountOf(text, decimalSign);
  if (amount === undefined) return undefined;
  const count = Number(decimalText(amount));
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The decimal of a stored text, which `decimalText` has written. */
export function storedAmount(text: string): Decimal {
  const [whole = '0', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}
