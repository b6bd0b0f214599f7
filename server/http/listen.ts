// HTTP server of the app, and its shutdown.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorText } from '#shared/errors.ts';
import type { Listeners } from '#server/http/request-listener.ts';
import { watchResponse, watchSocket } from '#server/http/response-watch.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { createProgressWatch } from '#server/network/progress-watch.ts';
import { type TlsFiles, type TlsPair, type TlsReports, type TlsWatch, validUntil, watchTlsPair } from '#server/network/tls-pair.ts';
import { createRandomText } from '#server/secrets/random-text.ts';
import { lastWordsMs } from '#server/process/shutdown-bounds.ts';

export interface Listening {
  readonly port: number;
  readonly server: Server | TlsServer;
  /** Reads the certificate and key again if they have changed. */
  reloadTls(): Promise<void>;
  /** Accepts no new connections, and resolves when the open ones have ended. */
  close(closing: Closing): Promise<void>;
}

export interface Closing {
  /** From then on, connections without a request are closed. */
  idle: AbortSignal;
  /** Then `atEnd` is called for responses that send a final message, and soon after the rest is cut. */
  cut: AbortSignal;
  atEnd(): void;
}

const idleSweepMs = 50;
/** A client that opens a connection and does not complete the handshake. */
const handshakeMs = 10_000;

export interface ListenOptions {
  port: number;
  host: string;
  /** Seconds within which a client must make progress reading a response. */
  clientTimeout: number;
  /** If undefined, connections are not encrypted. */
  tls?: Tls | undefined;
}

/** `pair` is what `files` have held at start. */
export interface Tls {
  pair: TlsPair;
  files: TlsFiles;
  reports: TlsReports;
}

/** @throws {Error} if the address cannot be used */
export async function listen(listeners: Listeners, options: ListenOptions): Promise<Listening> {
  const watch = createProgressWatch(options.clientTimeout);
  const serve: RequestListener = (request, response) => {
    watchResponse(watch, response);
    listeners.request(request, response);
  };
  /** Upgraded connections, which the server does not track. */
  const upgraded = new Set<Socket>();
  const raw = new Set<Socket>();
  // The app rejects requests without Host like other invalid ones; Node's own response would be empty.
  const httpOptions = { keepAlive: true, noDelay: true, requireHostHeader: false, shouldUpgradeCallback: isWebSocketUpgrade };
  const pair = options.tls?.pair;
  const server: Server | TlsServer =
    pair === undefined
      ? createServer(httpOptions, serve)
      : createTlsServer({ ...httpOptions, ...pair, handshakeTimeout: handshakeMs }, serve);
  if (pair !== undefined) {
    server.on('connection', (socket: Socket) => {
      raw.add(socket);
      socket.on('close', () => raw.delete(socket));
    });
  }
  server.on('upgrade', (request, socket, head) => {
    if (!(socket instanceof Socket)) return void socket.destroy();
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    // Errors are handled by the close event.
    socket.on('error', () => {});
    watchSocket(watch, socket);
    listeners.upgrade(request, socket, head);
  });
  // Longer than the idle timeout of load balancers, so that they never write to a closed connection.
  server.keepAliveTimeout = 65_000;
  // `Expect: 100-continue` is answered when the body is read.
  server.on('checkContinue', serve);
  server.on('clientError', refuseBrokenRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: options.host, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address();
  const certificate = watchCertificate(server, options.tls);
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : options.port,
    server,
    reloadTls: async () => certificate?.check(),
    close: (closing) =>
      close(server, { upgraded, raw }, closing).finally(() => {
        watch.stop();
        certificate?.stop();
      }),
  };
}

/** Open connections continue with the pair of their handshake; later ones get the new one. */
function watchCertificate(server: Server | TlsServer, tls: Tls | undefined): TlsWatch | undefined {
  if (tls === undefined || !('setSecureContext' in server)) return undefined;
  tls.reports.loaded(validUntil(tls.pair));
  return watchTlsPair(tls.files, tls.pair, { use: (fresh) => server.setSecureContext(fresh), reports: tls.reports });
}

/** Requests for other protocols are answered as plain HTTP. */
function isWebSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

interface Connections {
  upgraded: ReadonlySet<Socket>;
  /** All, those in a handshake included; empty without TLS. */
  raw: ReadonlySet<Socket>;
}

function close(server: Server | TlsServer, { upgraded, raw }: Connections, { idle, cut, atEnd }: Closing): Promise<void> {
  return new Promise((resolve) => {
    let cutting: NodeJS.Timeout | undefined;
    const endAll = () => {
      atEnd();
      cutting = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of [...upgraded, ...raw]) socket.destroy();
      }, lastWordsMs);
    };
    let sweep: NodeJS.Timeout | undefined;
    // A connection becomes idle when its last response ends, and would then stay open.
    const sweepIdle = () => {
      server.closeIdleConnections();
      sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
    };
    // The method of the HTTP server closes idle connections at once, on which a client may just be sending.
    const stopListening = idle.aborted ? server.close : NetServer.prototype.close;
    stopListening.call(server, () => {
      clearTimeout(cutting);
      clearInterval(sweep);
      cut.removeEventListener('abort', endAll);
      idle.removeEventListener('abort', sweepIdle);
      resolve();
    });
    onAbort(cut, endAll);
    onAbort(idle, sweepIdle);
  });
}

function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
}

const brokenRequests: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function isOfHttp(code = ''): boolean {
  return code.startsWith('HPE_') || code in brokenRequests;
}

/** For request ids: these requests never reach the app. */
const idParts = { now: Date.now, randomText: createRandomText() };

/** Answers invalid HTTP (a line break in a header, headers too long), which never becomes a request. */
function refuseBrokenRequest(failure: NodeJS.ErrnoException, socket: Duplex): void {
  // A handshake that failed is reported here, too; nothing can be written to its connection.
  if (!isOfHttp(failure.code) || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = brokenRequests[failure.code ?? ''] ?? '400 Bad Request';
  const message = errorText('invalid_parameter', 'en');
  const body = JSON.stringify({
    success: false,
    message,
    code: 'invalid_parameter',
    error: { message, type: 'invalid_request_error', param: '', code: 'invalid_parameter' },
  });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Oneapi-Request-Id: ${newRequestId(idParts)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
