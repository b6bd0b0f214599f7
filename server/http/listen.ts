// Node's HTTP server around the app, and how it ends.
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
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
   * Takes no new connections, lets open requests end for at most `graceSeconds`, calls `atEnd` for those that have something
   * to say before they end, and soon after cuts what is left.
   */
  close(graceSeconds: number, atEnd: () => void): Promise<void>;
}

const idleSweepMs = 50;

export interface ListenOptions {
  port: number;
  host: string;
  /** Seconds in which a client must make progress with reading a response. */
  clientTimeout: number;
}

/** @throws {Error} when the address cannot be used */
export async function listen(listeners: Listeners, options: ListenOptions): Promise<Listening> {
  const watch = createProgressWatch(options.clientTimeout);
  const serve: RequestListener = (request, response) => {
    watchResponse(watch, response);
    listeners.request(request, response);
  };
  /** Connections that speak another protocol now: the server does not know them any more. */
  const upgraded = new Set<Socket>();
  // A request without Host is refused by the app, like any other that is wrong; Node's own refusal would say nothing.
  const httpOptions = { keepAlive: true, noDelay: true, requireHostHeader: false, shouldUpgradeCallback: isWebSocketUpgrade };
  const server = createServer(httpOptions, serve);
  server.on('upgrade', (request, socket, head) => {
    if (!(socket instanceof Socket)) return void socket.destroy();
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket));
    // Whatever is wrong with it, its close is what is acted on.
    socket.on('error', () => {});
    watchSocket(watch, socket);
    listeners.upgrade(request, socket, head);
  });
  // Longer than what load balancers keep their side open, so that they never write into a closed connection.
  server.keepAliveTimeout = 65_000;
  // Whoever asks before sending a body is asked for it when it is read, if it is.
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

/** Another protocol that a client would speak, too, is not heeded: it gets its response in this one. */
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
    // A connection whose last response has left meanwhile is idle only now, and would be kept for the next request.
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

/** For ids alone: no app has seen these requests. */
const idParts = { now: Date.now, randomText: createRandomText() };

/** What is not HTTP (a line break in a header, too long headers) never becomes a request; it is answered here. */
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
