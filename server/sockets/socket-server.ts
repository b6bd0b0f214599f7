// All sockets of this process: accepted, kept alive, and ended where the other side is gone. The only file that knows the library.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { MessageSocket } from './message-socket.ts';
import type { SocketOptions } from './message-socket.ts';

export interface SocketServer {
  /** Completes the handshake, or answers why it cannot be. */
  accept(upgrade: SocketUpgrade, options: SocketOptions): void;
  readonly size: number;
  stop(): void;
}

export interface SocketUpgrade {
  request: IncomingMessage;
  socket: Socket;
  /** What has come behind the request. */
  head: Buffer;
  /** For the response that completes it. */
  headers: readonly string[];
}

export interface SocketTimes {
  /** Silence after which a client is asked for a sign of life. */
  pingMs: number;
  /** Silence after which a client is gone. */
  silentMs: number;
}

const tickMs = 500;
/** Milliseconds that a client has to confirm that a socket closes. */
const closeTimeout = 5_000;
const keyProtocol = 'openai-insecure-api-key.';

/** `onFault` hears of a socket whose tick threw; the others go on. */
export function createSocketServer({ pingMs, silentMs }: SocketTimes, onFault: (cause: unknown) => void): SocketServer {
  // Lengths are bounded by `MessageSocket`, which can still say so. Texts hardly shrink by compression for what it keeps in memory.
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: 0, closeTimeout, autoPong: false };
  const server = new WebSocketServer({ ...options, handleProtocols: chooseProtocol });
  const sockets = new Set<MessageSocket>();

  function tick(socket: MessageSocket, now: number): void {
    try {
      const silence = now - socket.lastMessageAt;
      if (silence >= silentMs && socket.isInputAudio) socket.terminate();
      else if (silence >= pingMs && !socket.isPinged) socket.ping();
      socket.tick();
    } catch (cause) {
      socket.terminate();
      onFault(cause);
    }
  }

  const timer = setInterval(() => {
    const now = performance.now();
    for (const socket of sockets) tick(socket, now);
  }, tickMs);
  timer.unref();

  return {
    accept({ request, socket: raw, head, headers }, socketOptions) {
      const addHeaders = (all: string[]) => void all.push(...headers);
      server.once('headers', addHeaders);
      // Completes within this call, or has refused what is no handshake.
      server.handleUpgrade(request, raw, head, (accepted) => {
        const socket = new MessageSocket(accepted, raw, socketOptions);
        sockets.add(socket);
        accepted.once('close', () => sockets.delete(socket));
      });
      server.off('headers', addHeaders);
    },
    get size() {
      return sockets.size;
    },
    stop() {
      clearInterval(timer);
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** One that a client has named, rather not the one that is its key: a browser wants one of its own back. */
function chooseProtocol(protocols: Set<string>): string | false {
  const [first = false] = protocols;
  for (const name of protocols) if (!name.startsWith(keyProtocol)) return name;
  return first;
}

/** The key that a browser sends as one of its protocols, because it cannot send headers; undefined: none. */
export function keyInProtocols(header: string | undefined): string | undefined {
  const named = header?.split(',').map((part) => part.trim());
  return named?.find((part) => part.startsWith(keyProtocol))?.slice(keyProtocol.length);
}
