// The addresses that a token may be used from: in the console's form and on the server alike.

/** Entries stand one per line; commas separate as well, as old clients write. */
export function allowedAddresses(text: string): string[] {
  const entries = text.split(/[\r\n,]/).map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))];
}

/**
 * Whether an entry is an address or a range in CIDR form. Ports, zones and numbers that only some programs take for addresses
 * (`10.1`, `010.0.0.1`) are none. IPv4 within IPv6 is a range of IPv4, so at least its first 96 bits are given.
 */
export function isAddressRange(entry: string): boolean {
  const [address = '', bits, rest] = entry.split('/');
  if (rest !== undefined || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return false;
  const isWithin = (least: number, most: number): boolean => bits === undefined || (Number(bits) >= least && Number(bits) <= most);
  if (isIPv4(address)) return isWithin(0, 32);
  const written = ipv6Of(address);
  if (written === undefined) return false;
  return isWithin(/^::ffff:[\da-f]{1,4}:[\da-f]{1,4}$/.test(written) ? 96 : 0, 128);
}

function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** IPv6 with IPv4 within it. */
const longestAddress = 45;

/** As it is written shortest; undefined: none. */
function ipv6Of(text: string): string | undefined {
  if (text.length > longestAddress) return undefined;
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined;
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}
