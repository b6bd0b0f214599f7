// The addresses that a token may be used from: one per line, or a range in CIDR form.
import { allowedAddresses, isAddressRange } from '#shared/allowed-addresses.ts';
import { AppError } from '#shared/errors.ts';
import { parseRange } from '#server/network/addresses.ts';

/**
 * Returns the list as it is stored: one entry per line, without blanks and duplicates.
 * @throws {AppError} `token_ips_invalid`: dropping an entry silently would allow less, or more, than intended
 */
export function checkAllowedAddresses(text: string): string {
  const entries = allowedAddresses(text);
  const wrong = entries.find((entry) => !isAddressRange(entry) || !isReadable(entry));
  if (wrong !== undefined) throw new AppError('token_ips_invalid', { line: wrong.slice(0, 60) }, { field: 'allow_ips' });
  return entries.join('\n');
}

/** What is stored is read at every call: nothing may be there that only the rule takes for a range. */
function isReadable(entry: string): boolean {
  try {
    parseRange(entry);
    return true;
  } catch {
    return false;
  }
}
