// HTTP server of the app, and its shutdown.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorText } from '#shared/errors.ts';
import type { Listeners } from '#server/http/request-listener.ts';
import { watchResponse, watchSocket } from '#server/http/response-watch.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { createProgressWatch } from '#server/network/progress-watch.ts';
import { createRandomText } from '#server/secrets/random-text.ts';
import { lastWordsMs } from '#server/process/shutdown-bounds.ts';

export interface Listening {
  readonly port: number;
  readonly server: Server;
  /**
   * Accepts no new connections, waits at most `graceSeconds` for open requests, calls `atEnd` for those that send a
   * final message, and soon after cuts the rest.
   */
  close(graceSeconds: number, atEnd: () => void): Promise<void>;
}

const idleSweepMs = 50;

export interface ListenOptions {
  port: number;
  host: string;
  /** Seconds within which a client must make progress reading a response. */
  clientTimeout: number;
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
  // The app rejects requests without Host like other invalid ones; Node's own response would be empty.
  const httpOptions = { keepAlive: true, noDelay: true, requireHostHeader: false, shouldUpgradeCallback: isWebSocketUpgrade };
  const server = createServer(httpOptions, serve);
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
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : options.port,
    server,
    close: (graceSeconds, atEnd) => close(server, upgraded, { graceSeconds, atEnd }).finally(watch.stop),
  };
}

/** Requests for other protocols are answered as plain HTTP. */
function isWebSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

interface Closing {
  graceSeconds: number;
  atEnd(): void;
}

function close(server: Server, upgraded: ReadonlySet<Socket>, { graceSeconds, atEnd }: Closing): Promise<void> {
  return new Promise((resolve) => {
    let cut = setTimeout(() => {
      atEnd();
      cut = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }, lastWordsMs);
    }, graceSeconds * 1000);
    // A connection becomes idle when its last response ends, and would then stay open.
    const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const brokenRequests: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** For request ids: these requests never reach the app. */
const idParts = { now: Date.now, randomText: createRandomText() };

/** Answers invalid HTTP (a line break in a header, headers too long), which never becomes a request. */
function refuseBrokenRequest(failure: NodeJS.ErrnoException, socket: Duplex): void {
  if (failure.code === 'ECONNRESET' || !socket.writable) {
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
