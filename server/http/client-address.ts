import ipaddr from 'ipaddr.js';
import { contains, parseAddress, parseRange } from '#server/network/addresses.ts';
import type { Address } from '#server/network/addresses.ts';
import type { Connection } from './connection.ts';

/**
 * Tells who calls, for limits, sessions, logs and the addresses of a token alike. `X-Forwarded-For` counts only when the
 * socket's peer is a trusted proxy, and is read from the right; no other header is read, because proxies pass on what they
 * do not know.
 */
export interface AddressReader {
  read(request: Request, connection: Connection | null): string;
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
 * Whom to count tries against: an IPv4 address, or the /64 network of an IPv6 address, for whoever has one of its addresses
 * has them all (RFC 4291, 2.5.1).
 */
export function subscriberOf(ip: string): string {
  const address = parseAddress(ip);
  if (address === null) return ip;
  if (address.kind() === 'ipv4') return address.toString();
  return prefixOf(address, 64);
}

/**
 * What one party may have as a whole: the /48 network of an IPv6 address, which sites are given (RFC 6177) with 65,536 subscriber
 * networks in it, or the /24 network of an IPv4 address. For what has to be shared; tries are counted against `subscriberOf`.
 */
export function networkOf(ip: string): string {
  const address = parseAddress(ip);
  if (address === null) return ip;
  return prefixOf(address, address.kind() === 'ipv4' ? 24 : 48);
}

/** @param bits whole bytes */
function prefixOf(address: Address, bits: number): string {
  const bytes = address.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

/** True for an address that is not reachable from the internet: this machine, a local network. */
export function isPrivateAddress(text: string): boolean {
  return parseAddress(text)?.range() !== 'unicast';
}

/** True for the addresses by which this machine speaks to itself. */
export function isLoopback(text: string): boolean {
  return parseAddress(text)?.range() === 'loopback';
}

/** The client as the nearest proxy has written it, whether that is trusted or not. */
export function lastForwarded(headers: Headers): string | null {
  const hop = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return parseAddress(hop) === null ? null : normalise(hop);
}

/** `::ffff:10.0.0.1` is written `10.0.0.1`, an IPv6 address in its short form. */
export function normalise(text: string): string {
  return parseAddress(text)?.toString() ?? text;
}
