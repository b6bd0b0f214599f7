// Requests to addresses that users give: over HTTPS, to the public internet only. A name is resolved once, all its addresses are
// judged, and the connection goes to one of those, whatever the name says a moment later. Every redirect begins anew.
import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { EgressRefusal } from './egress-refusal.ts';
import { isPublicAddress } from './special-addresses.ts';

export interface EgressRequest {
  url: string;
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** For the whole, from the look-up of the name to the end of the answer. */
  milliseconds: number;
  /** The most that an answer may have; 0: its head is all that is wanted. */
  maxBytes: number;
  /** How many are followed. */
  redirects: number;
  /** The address is the operator's own choice: it may be private, and be without TLS. */
  isTrusted?: boolean;
}

export interface EgressAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface Egress {
  /** @throws {EgressRefusal} */
  send(request: EgressRequest): Promise<EgressAnswer>;
}

/** What tests replace. Judging addresses is not among it. */
export interface Network {
  /** All addresses of a name. */
  resolve(host: string): Promise<string[]>;
  connect(address: string, port: number): Socket;
}

const resolveMs = 3_000;
/** A name may have many addresses; so many are tried. */
const addressTries = 3;
/** Go to the place that they are meant for, and not on. */
const secretHeaders = new Set(['authorization', 'cookie', 'x-webhook-signature']);

export function createEgress(network: Network = internet): Egress {
  return {
    async send(request) {
      const late = AbortSignal.timeout(request.milliseconds);
      let target = { url: parseUrl(request.url), headers: request.headers ?? {} };
      for (let hop = 0; ; hop += 1) {
        const answer = await sendOnce(network, { ...request, ...target }, late);
        const next = nextHop(request, target, answer);
        if (next === null) return answer;
        if (hop >= request.redirects) throw new EgressRefusal('too_many_redirects');
        target = next;
      }
    },
  };
}

interface Target {
  url: URL;
  headers: Readonly<Record<string, string>>;
}

type Hop = Omit<EgressRequest, 'url' | 'headers'> & Target;

/** Null: the answer is the last one. A POST is only sent on where the answer says that it stays one (RFC 9110, 15.4). */
function nextHop(
  { method, redirects }: EgressRequest,
  { url, headers }: Target,
  { status, headers: answered }: EgressAnswer,
): Target | null {
  const follows = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308];
  if (redirects === 0 || answered.location === undefined || !follows.includes(status)) return null;
  const next = parseUrl(answered.location, url);
  if (next.origin === url.origin) return { url: next, headers };
  const kept = Object.entries(headers).filter(([name]) => !secretHeaders.has(name.toLowerCase()));
  return { url: next, headers: Object.fromEntries(kept) };
}

async function sendOnce(network: Network, hop: Hop, late: AbortSignal): Promise<EgressAnswer> {
  const { url, isTrusted = false } = hop;
  if (url.protocol !== 'https:' && !(isTrusted && url.protocol === 'http:')) throw new EgressRefusal('not_https');
  const addresses = await inTime(addressesOf(network, hostOf(url)), late);
  if (!isTrusted && !addresses.every(isPublicAddress)) throw new EgressRefusal('private_address');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  let last: unknown;
  for (const address of addresses.slice(0, addressTries)) {
    const socket = await connected(network.connect(address, port), late).catch((failure: unknown) => {
      last = failure;
    });
    if (socket !== undefined) return exchange(hop, socket, late);
    if (late.aborted) break;
  }
  throw late.aborted ? new EgressRefusal('timeout') : new EgressRefusal('unreachable', { cause: last });
}

function exchange({ url, method, headers, body, maxBytes }: Hop, plain: Socket, late: AbortSignal): Promise<EgressAnswer> {
  const host = hostOf(url);
  const isSecure = url.protocol === 'https:';
  const socket = isSecure ? connectTls({ socket: plain, host, ...(isIP(host) === 0 ? { servername: host } : {}) }) : plain;
  const result = new Promise<EgressAnswer>((resolve, reject) => {
    let isOpen = !isSecure;
    const fail = (failure: unknown) => {
      if (failure instanceof EgressRefusal) reject(failure);
      else reject(new EgressRefusal(late.aborted ? 'timeout' : isOpen ? 'broken_answer' : 'tls', { cause: failure }));
    };
    socket.once('secureConnect', () => {
      isOpen = true;
    });
    socket.once('error', fail);
    late.addEventListener('abort', () => fail(new EgressRefusal('timeout')), { once: true });
    const request = http.request({
      method,
      host: url.host,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, connection: 'close', ...(body === undefined ? {} : { 'content-length': body.length }) },
      setHost: false,
      createConnection: () => socket,
    });
    request.once('error', fail);
    request.once('response', (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      response.once('error', fail);
      readBody(response, maxBytes).then((bytes) => resolve({ status, headers: answered, body: bytes }), fail);
    });
    request.end(body);
  });
  return result.finally(() => {
    socket.destroy();
    plain.destroy();
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (maxBytes === 0) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBytes) throw new EgressRefusal('too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function addressesOf({ resolve }: Network, host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw new EgressRefusal('unknown_host', { cause });
  });
  if (addresses.length === 0) throw new EgressRefusal('unknown_host');
  return addresses;
}

function connected(socket: Socket, late: AbortSignal): Promise<Socket> {
  const connecting = new Promise<Socket>((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
  return inTime(connecting, late).catch((failure: unknown) => {
    socket.destroy();
    throw failure;
  });
}

function inTime<Result>(work: Promise<Result>, late: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new EgressRefusal('timeout'));
    if (late.aborted) stop();
    late.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => late.removeEventListener('abort', stop));
  });
}

/** Without the brackets of IPv6. Numbers that stand for addresses have been made such by the URL parser. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function parseUrl(text: string, base?: URL): URL {
  try {
    return new URL(text, base);
  } catch (cause) {
    throw new EgressRefusal('unknown_host', { cause });
  }
}

/** Names are asked of the name servers directly: the system's own look-up would occupy threads that everybody shares. */
const internet: Network = {
  async resolve(host) {
    const resolver = new Resolver({ timeout: resolveMs, tries: 1 });
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  },
  connect: (address, port) => connectTcp({ host: address, port }),
};
