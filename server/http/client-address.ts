import ipaddr from 'ipaddr.js';
import { type Address, contains, parseAddress, parseRange } from '#server/network/addresses.ts';
import type { Connection } from './connection.ts';

/**
 * Determines the client address for limits, sessions, logs and tokens' allowed addresses. `X-Forwarded-For` counts only
 * if the socket's peer is a trusted proxy, and is read from the right; no other header is read, because proxies forward
 * unknown ones.
 */
export interface AddressReader {
  read(request: Request, connection: Connection | null): string;
  isTrusted(peer: string): boolean;
}

export function createAddressReader(trusted: readonly string[]): AddressReader {
  const ranges = trusted.map(parseRange);
  // Caches results: clients reuse their connections.
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
    read({ headers }, connection) {
      const peer = connection?.req.socket.remoteAddress ?? '';
      if (ranges.length === 0) return direct(peer);
      const forwardedFor = headers.get('x-forwarded-for');
      if (forwardedFor === null || !isTrusted(peer)) return direct(peer);
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

/**
 * Address that attempts are counted for: an IPv4 address, or the /64 network of an IPv6 address, all of which one
 * subscriber controls (RFC 4291, 2.5.1).
 */
export function subscriberOf(ip: string): string {
  const address = parseAddress(ip);
  if (address === null) return ip;
  if (address.kind() === 'ipv4') return address.toString();
  return prefixOf(address, 64);
}

/**
 * Network that shared capacity is divided by: the /48 of an IPv6 address, which a site is assigned (RFC 6177) with
 * 65,536 subscriber networks, or the /24 of an IPv4 address. Attempts are counted by `subscriberOf`.
 */
export function networkOf(ip: string): string {
  const address = parseAddress(ip);
  if (address === null) return ip;
  return prefixOf(address, address.kind() === 'ipv4' ? 24 : 48);
}

/** @param bits a multiple of eight */
function prefixOf(address: Address, bits: number): string {
  const bytes = address.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

/** True for an address that is unreachable from the internet: this machine, a local network. */
export function isPrivateAddress(text: string): boolean {
  return parseAddress(text)?.range() !== 'unicast';
}

/** True for loopback addresses. */
export function isLoopback(text: string): boolean {
  return parseAddress(text)?.range() === 'loopback';
}

/** Client address as written by the nearest proxy, trusted or not. */
export function lastForwarded(headers: Headers): string | null {
  const hop = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return parseAddress(hop) === null ? null : normalise(hop);
}

/** Writes `::ffff:10.0.0.1` as `10.0.0.1`, and IPv6 addresses in short form. */
export function normalise(text: string): string {
  return parseAddress(text)?.toString() ?? text;
}
