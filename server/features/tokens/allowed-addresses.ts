// The addresses that a token may be used from: one per line, or a range in CIDR form.
import ipaddr from 'ipaddr.js';
import { AppError } from '#shared/errors.ts';
import { parseRange } from '#server/addresses.ts';

/**
 * The list as it is stored: one entry per line, without blanks and doubles. Commas separate as well, as old clients write.
 * @throws {AppError} `token_ips_invalid`: a line that is silently dropped would allow less, or more, than was meant
 */
export function checkAllowedAddresses(text: string): string {
  const lines = text
    .split(/[\r\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  for (const line of lines) {
    if (!isRange(line)) throw new AppError('token_ips_invalid', { line: line.slice(0, 60) }, { field: 'allow_ips' });
  }
  return [...new Set(lines)].join('\n');
}

/** Stricter than the parser, which takes ports and zones as proxies write them. */
function isRange(line: string): boolean {
  const [address = '', bits, rest] = line.split('/');
  const isV4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (rest !== undefined || !(isV4 || (address.includes(':') && !address.includes('%') && ipaddr.IPv6.isValid(address)))) return false;
  try {
    parseRange(bits === undefined ? address : `${address}/${bits}`);
    return true;
  } catch {
    return false;
  }
}
