import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Tells who calls. Forwarding headers count only when the socket's peer is a trusted proxy, and are read from the right. */
export interface AddressReader {
  read(peer: string, forwardedFor: string | null): string;
  isTrusted(peer: string): boolean;
}

export function createAddressReader(trusted: readonly string[]): AddressReader {
  const ranges = trusted.map(parseRange);
  // Clients keep their connections, so the same few texts come again and again.
  const written = new Map<string, string>();
  const direct = (peer: string): string => {
    const known = written.get(peer);
    if (known !== undefined) return known;
    if (written.size >= 10_000) written.clear();
    const text = normalise(peer);
    written.set(peer, text);
    return text;
  };
  const isTrusted = (text: string) => {
    const address = parseAddress(text);
    return address !== null && ranges.some((range) => contains(range, address));
  };
  return {
    isTrusted,
    read(peer, forwardedFor) {
      if (ranges.length === 0 || forwardedFor === null || !isTrusted(peer)) return direct(peer);
      const hops = forwardedFor.split(',').map((hop) => hop.trim());
      let client = peer;
      for (let index = hops.length - 1; index >= 0; index -= 1) {
        const hop = hops[index] ?? '';
        if (parseAddress(hop) === null) break;
        client = hop;
        if (!isTrusted(hop)) break;
      }
      return normalise(client);
    },
  };
}

/** An address range from `10.0.0.0/8` or a single address. @throws {Error} when it is neither. */
export function parseRange(text: string): [Address, number] {
  if (text.includes('/')) {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits];
  }
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

export function parseAddress(text: string): Address | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

export function contains(range: [Address, number], address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range);
}

/**
 * Whom to count tries against: an IPv4 address, or the /64 network of an IPv6 address, for whoever has one of its addresses
 * has them all (RFC 4291, 2.5.1).
 */
export function subscriberOf(ip: string): string {
  const address = parseAddress(ip);
  if (address === null || address.kind() === 'ipv4') return ip;
  const network = [...address.toByteArray().slice(0, 8), ...Array.from({ length: 8 }, () => 0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}

/** True for an address that is not reachable from the internet: this machine, a local network. */
export function isPrivateAddress(text: string): boolean {
  return parseAddress(text)?.range() !== 'unicast';
}

/** `::ffff:10.0.0.1` is written `10.0.0.1`. */
function normalise(text: string): string {
  return parseAddress(text)?.toString() ?? text;
}
