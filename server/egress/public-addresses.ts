// Which addresses are of the public internet: none that the IANA's special-purpose registries list (RFC 6890 and what was added
// since: iana-ipv4-special-registry, iana-ipv6-special-registry), no multicast, and of IPv6 only global unicast.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, contains, parseAddress, parseRange } from '#server/network/addresses.ts';

const special: readonly [Address, number][] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, metadata of clouds
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private use
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map(parseRange);

const globalUnicast = parseRange('2000::/3');
/** IPv4 behind a translator (RFC 6052): what counts is the address within. */
const translated = parseRange('64:ff9b::/96');

/** False for everything that is not plainly a public address, also for texts that are none. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && isPublic(address);
}

function isPublic(address: Address): boolean {
  if (contains(translated, address)) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(12)));
  if (address.kind() === 'ipv6' && !contains(globalUnicast, address)) return false;
  return !special.some((range) => contains(range, address));
}

/** False for hosts of an URL that cannot be public whatever their names resolve to; what they do resolve to is judged when it counts. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)$/i.test(host);
}
