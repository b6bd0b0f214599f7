// WebSocket client for tests: messages are buffered until they are read.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type ClientOptions, WebSocket } from 'ws';
import { until } from './until.ts';

// Tests look into what came as they expect it.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = Record<string, any>;

export interface SocketClient extends Disposable {
  readonly socket: WebSocket;
  /** Headers of the response that opened it. */
  readonly headers: IncomingMessage['headers'];
  send(message: unknown): void;
  /** The next message. */
  next(): Promise<Json>;
  /** Returns all messages up to and with the first that ends a response, of one stream if `streamId` is given. */
  response(streamId?: string): Promise<Json[]>;
  /** How the connection ended. */
  readonly closed: Promise<{ code: number; reason: string }>;
}

export interface ConnectOptions extends ClientOptions {
  protocols?: string[];
  /** Host name of the certificate. */
  servername?: string;
}

const ends = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

export async function connectSocket(url: string, { protocols = [], ...options }: ConnectOptions = {}): Promise<SocketClient> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, { perMessageDeflate: false, ...options });
  const messages: Json[] = [];
  let headers: IncomingMessage['headers'] = {};
  socket.on('upgrade', (response) => {
    headers = response.headers;
  });
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString('utf8'))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const refused = new Promise<never>((_resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      void readAll(response).then((text) => {
        reject(new RefusedSocket(response, text));
        socket.terminate();
      });
    });
  });
  socket.on('error', () => {});
  await Promise.race([once(socket, 'open'), refused]);
  const next = async (): Promise<Json> => {
    await until(() => messages.length > 0 || socket.readyState === socket.CLOSED);
    const message = messages.shift();
    if (message === undefined) throw new Error('The socket closed, and nothing has come');
    return message;
  };
  return {
    socket,
    headers,
    closed,
    next,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async response(streamId) {
      const all: Json[] = [];
      for (;;) {
        const message = await next();
        all.push(message);
        if (ends.has(message['type']) && (streamId === undefined || message['stream_id'] === streamId)) return all;
      }
    },
    [Symbol.dispose]: () => socket.terminate(),
  };
}

/** Instead of a socket there was a response. */
export class RefusedSocket extends Error {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;

  constructor(response: IncomingMessage, text: string) {
    super(`The socket was refused with ${response.statusCode}: ${text}`);
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.body = JSON.parse(text);
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}
