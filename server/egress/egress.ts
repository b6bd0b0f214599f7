// Sends requests to addresses that users give: over HTTPS, to the public internet only. A name is resolved once, all its addresses are checked, and
// the connection goes to one of those, even if the name resolves to others a moment later. Every redirect is checked again.
import { Resolver } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { parseAddress } from '#server/network/addresses.ts';
import { EgressRefusal } from './egress-refusal.ts';
import { isServicePort } from './service-ports.ts';
import { isPublicAddress } from './public-addresses.ts';

export interface EgressRequest {
  url: string;
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** For the whole, from the look-up of the name to the end of the answer. */
  milliseconds: number;
  /** Ends it before its time. */
  signal?: AbortSignal;
  /** The most that an answer may have; 0: its head is all that is wanted. */
  maxBytes: number;
  /** How many are followed. */
  redirects: number;
  /** Also without TLS, which is enough for what anybody may read. */
  allowsPlain?: boolean;
  /** The address is the operator's own choice: it may be private, and be without TLS. */
  isTrusted?: boolean;
}

export interface EgressAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** An answer that is taken bit by bit; what is not taken is left to the sender. */
export interface EgressStream {
  status: number;
  headers: IncomingMessage['headers'];
  /** The next part; null: that was all. @throws {EgressRefusal} */
  read(): Promise<Buffer | null>;
  close(): void;
}

export interface Egress {
  /** @throws {EgressRefusal} */
  send(request: EgressRequest): Promise<EgressAnswer>;
  /** The caller must close the stream. Only the time spent waiting for the other side counts. @throws {EgressRefusal} */
  open(request: EgressRequest): Promise<EgressStream>;
}

/** What tests replace. Judging addresses is not among it. */
export interface Network {
  /** All addresses of a name. */
  resolve(host: string): Promise<string[]>;
  connect(address: string, port: number): Socket;
  /** The addresses of this machine. Missing: none that anybody else has. */
  own?(): string[];
}

const resolveMs = 3_000;
/** Answers before the answer (1xx): a server means nothing good that sends more of them. */
const mostHints = 20;
/** A name may have many addresses; so many are tried. */
const addressAttempts = 3;
/** Sent to their destination only, never to a redirect's. */
const secretHeaders = new Set(['authorization', 'cookie', 'x-webhook-signature']);

export function createEgress(network: Network = internet): Egress {
  async function open(request: EgressRequest): Promise<EgressStream> {
    const deadline = createDeadline(request);
    let target = { url: parseUrl(request.url), headers: request.headers ?? {} };
    return deadline.during(async () => {
      for (let hop = 0; ; hop += 1) {
        const stream = await openOnce(network, { ...request, ...target }, deadline);
        const next = nextHop(request, target, stream);
        if (next === null) return stream;
        stream.close();
        if (next instanceof EgressRefusal) throw next;
        if (hop >= request.redirects) throw new EgressRefusal('too_many_redirects');
        target = next;
      }
    });
  }

  return {
    open,
    async send(request) {
      const stream = await open(request);
      try {
        const { status, headers } = stream;
        return { status, headers, body: request.maxBytes === 0 ? Buffer.alloc(0) : await readAll(stream) };
      } finally {
        stream.close();
      }
    },
  };
}

/** Time that passes only while the other side is waited for. */
interface Deadline {
  signal: AbortSignal;
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

function createDeadline({ milliseconds, signal }: EgressRequest): Deadline {
  const late = new AbortController();
  let left = milliseconds;
  return {
    signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
    async during(work) {
      const begin = performance.now();
      const timer = setTimeout(() => late.abort(), left);
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        left -= performance.now() - begin;
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
  { status, headers: answered }: EgressStream,
): Target | EgressRefusal | null {
  const follows = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308];
  if (redirects === 0 || answered.location === undefined || !follows.includes(status)) return null;
  const next = URL.parse(answered.location, url);
  if (next === null) return new EgressRefusal('unknown_host');
  if (next.origin === url.origin) return { url: next, headers };
  const stored = Object.entries(headers).filter(([name]) => !secretHeaders.has(name.toLowerCase()));
  return { url: next, headers: Object.fromEntries(stored) };
}

async function openOnce(network: Network, hop: Hop, deadline: Deadline): Promise<EgressStream> {
  const { url, isTrusted = false, allowsPlain = false } = hop;
  const late = deadline.signal;
  if (url.protocol !== 'https:' && !((isTrusted || allowsPlain) && url.protocol === 'http:')) throw new EgressRefusal('not_https');
  if (!isTrusted && isServicePort(url.port)) throw new EgressRefusal('refused_port');
  const addresses = await inTime(addressesOf(network, hostOf(url), isTrusted), late);
  if (!isTrusted && !addresses.every((address) => isPublicAddress(address) && !isWithin(network, url, address)))
    throw new EgressRefusal('private_address');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  let last: unknown;
  for (const address of addresses.slice(0, addressAttempts)) {
    const socket = await connected(network.connect(address, port), late).catch((failure: unknown) => {
      last = failure;
    });
    if (socket !== undefined) return exchange(hop, socket, deadline);
    if (late.aborted) break;
  }
  throw late.aborted ? new EgressRefusal('timeout') : new EgressRefusal('unreachable', { cause: last });
}

/** A service on a public address of this machine is reached past the firewall that protects it from others: it has to be a website. */
function isWithin({ own }: Network, { protocol, port }: URL, address: string): boolean {
  if (own === undefined || protocol === 'https:' || port === '') return false;
  const requested = parseAddress(address)?.toString();
  return own().some((one) => parseAddress(one)?.toString() === requested);
}

function exchange({ url, method, headers, body, maxBytes }: Hop, plain: Socket, deadline: Deadline): Promise<EgressStream> {
  const host = hostOf(url);
  const isSecure = url.protocol === 'https:';
  const socket = isSecure ? connectTls({ socket: plain, host, ...(isIP(host) === 0 ? { servername: host } : {}) }) : plain;
  const { signal: late } = deadline;
  const close = () => {
    socket.destroy();
    plain.destroy();
  };
  return new Promise<EgressStream>((resolve, reject) => {
    let isOpen = !isSecure;
    const fail = (cause: unknown) => {
      close();
      reject(new EgressRefusal(late.aborted ? 'timeout' : isOpen ? 'broken_answer' : 'tls', { cause }));
    };
    socket.once('secureConnect', () => {
      isOpen = true;
    });
    socket.on('error', fail);
    if (late.aborted) fail(late.reason);
    late.addEventListener('abort', () => fail(late.reason), { once: true });
    const request = http.request({
      method,
      host: url.host,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, connection: 'close', ...(body === undefined ? {} : { 'content-length': body.length }) },
      setHost: false,
      createConnection: () => socket,
    });
    request.on('error', fail);
    let hints = 0;
    request.on('information', () => {
      hints += 1;
      if (hints > mostHints) fail(new Error('too many informational answers'));
    });
    request.once('upgrade', () => fail(new Error('an upgrade that nobody asked for')));
    request.once('response', (response) => {
      // A reader gets the error; there may be none at that moment.
      response.on('error', () => {});
      resolve(streamOf(response, { maxBytes, deadline, close }));
    });
    request.end(body);
  });
}

interface Opened {
  maxBytes: number;
  deadline: Deadline;
  close(): void;
}

function streamOf(response: IncomingMessage, { maxBytes, deadline, close }: Opened): EgressStream {
  const { statusCode: status = 0, headers } = response;
  const parts: AsyncIterator<unknown> = response[Symbol.asyncIterator]();
  let size = 0;
  return {
    status,
    headers,
    async read() {
      const part = await deadline
        .during(() => parts.next())
        .catch((cause: unknown) => {
          throw new EgressRefusal(deadline.signal.aborted ? 'timeout' : 'broken_answer', { cause });
        });
      if (part.done === true || !Buffer.isBuffer(part.value)) return null;
      size += part.value.length;
      if (size > maxBytes) throw new EgressRefusal('too_large');
      return part.value;
    },
    close,
  };
}

async function readAll({ read }: EgressStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let chunk = await read(); chunk !== null; chunk = await read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Name servers have no such name. https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
const loopbackName = /^(?:.+\.)?localhost\.?$/i;
const loopback = ['127.0.0.1', '::1'];

async function addressesOf({ resolve }: Network, host: string, isTrusted: boolean): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  if (isTrusted && loopbackName.test(host)) return loopback;
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

/** Names are resolved by the name servers directly: the system's look-up would occupy threads that all requests share. */
const internet: Network = {
  async resolve(host) {
    const resolver = new Resolver({ timeout: resolveMs, tries: 1 });
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  },
  connect: (address, port) => connectTcp({ host: address, port }),
  own: () => Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)),
};
