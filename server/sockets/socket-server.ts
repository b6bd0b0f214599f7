// Accepts all sockets of this process, sends pings, and ends unresponsive ones. The only file that uses the library's
// server.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { MessageSocket, type SocketOptions } from './message-socket.ts';

export interface SocketServer {
  /** Completes the handshake, or answers with an error. */
  accept(upgrade: SocketUpgrade, options: SocketOptions): void;
  readonly size: number;
  stop(): void;
}

export interface SocketUpgrade {
  request: IncomingMessage;
  socket: Socket;
  /** Bytes received after the request. */
  head: Buffer;
  /** Headers of the handshake response. */
  headers: readonly string[];
}

export interface SocketTimes {
  /** Silence after which a ping is sent. */
  pingMs: number;
  /** Silence after which a client counts as disconnected. */
  silentMs: number;
}

const tickMs = 500;
/** Milliseconds for a client to confirm a close. */
const closeTimeout = 5_000;
/** As browsers send keys to OpenAI, and short-lived ones to xAI. https://docs.x.ai/developers/model-capabilities/audio/ephemeral-tokens */
const keyProtocols = ['openai-insecure-api-key.', 'xai-client-secret.'];

/** @param onFault called with the error of a socket's tick; other sockets are unaffected */
export function createSocketServer({ pingMs, silentMs }: SocketTimes, onFault: (cause: unknown) => void): SocketServer {
  // Lengths are limited by `MessageSocket`, which can report an error. Compression saves little, and needs memory per
  // socket.
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: 0, closeTimeout, autoPong: false };
  const server = new WebSocketServer({ ...options, handleProtocols: chooseProtocol });
  const sockets = new Set<MessageSocket>();

  function tick(socket: MessageSocket, now: number): void {
    try {
      const silence = now - socket.lastMessageAt;
      if (silence >= silentMs && socket.isReading) socket.terminate();
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
      // Completes synchronously, or has rejected the handshake.
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

/** Selects a requested protocol, preferably not the one with the key: a browser requires one of its own. */
function chooseProtocol(protocols: Set<string>): string | false {
  const [first = false] = protocols;
  for (const name of protocols) if (!isKey(name)) return name;
  return first;
}

/** API key that a browser sends as a protocol, because it cannot set headers; undefined if there is none. */
export function keyInProtocols(header: string | undefined): string | undefined {
  const named = header?.split(',').map((part) => part.trim());
  return named?.find(isKey)?.replace(/^[^.]*\./, '');
}

function isKey(protocol: string): boolean {
  return keyProtocols.some((prefix) => protocol.startsWith(prefix));
}
