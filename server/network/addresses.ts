// How addresses are read, wherever they come from: sockets, proxies, lists of allowed ones, the environment.
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * An address range from `10.0.0.0/8` or a single address. IPv4 within IPv6 (`::ffff:10.0.0.0/104`) is IPv4, as it is in
 * addresses. @throws {Error} when it is neither.
 */
export function parseRange(text: string): [Address, number] {
  const [address = '', bits, rest] = text.split('/');
  const base = parseAddress(address);
  if (base === null || rest !== undefined || (bits !== undefined && !/^\d{1,3}$/.test(bits)))
    throw new Error(`${text} is no range of addresses`);
  const width = base.kind() === 'ipv4' ? 32 : 128;
  const isMapped = base.kind() === 'ipv4' && address.includes(':');
  const length = bits === undefined ? width : Number(bits) - (isMapped ? 96 : 0);
  if (length < 0 || length > width) throw new Error(`${text} is no range of addresses`);
  return [base, length];
}

/**
 * An address as sockets and proxies write it: with a port or a zone, in brackets, IPv4 within IPv6. Numbers that only some
 * programs take for addresses (`10.1`, `0x7f.1`, `010.0.0.1`) are none.
 */
export function parseAddress(text: string): Address | null {
  const bare = bareAddress(text.trim());
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  return bare.includes(':') && ipaddr.IPv6.isValid(bare) ? ipaddr.process(bare) : null;
}

/** Without brackets, port and zone. */
function bareAddress(text: string): string {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return address.replace(/%.*$/, '');
}

export function contains(range: [Address, number], address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range);
}
