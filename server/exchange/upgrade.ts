// Sends one request that becomes a WebSocket, through undici's dispatch; yields the raw connection or the refusing
// response. https://www.rfc-editor.org/rfc/rfc6455#section-4.1
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { SendFailure } from './send-failure.ts';
import type { ResponseHeaders, WholeResponse } from './send.ts';

export interface Upgraded {
  kind: 'upgraded';
  socket: Duplex;
  headers: ResponseHeaders;
}

export interface Upgrading {
  readonly response: Promise<Upgraded | WholeResponse>;
  /** Closes the connection; has no effect once it was handed out. */
  abort(): void;
}

export interface UpgradeRequest {
  origin: string;
  path: string;
  headers: Readonly<Record<string, string>>;
}

/** Maximum bytes of a refusal. */
const longestRefusal = 256 * 1024;
const websocketGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const version = '13';

export function upgradeThrough(dispatcher: Dispatcher, { origin, path, headers }: UpgradeRequest, responseMs: number): Upgrading {
  const key = randomBytes(16).toString('base64');
  const handler = new UpgradeHandler(key, responseMs);
  const all = { ...headers, 'sec-websocket-version': version, 'sec-websocket-key': key };
  try {
    dispatcher.dispatch({ origin, path, method: 'GET', headers: all, upgrade: 'websocket' }, handler);
  } catch (cause) {
    handler.refuse(cause);
  }
  return handler;
}

class UpgradeHandler implements Dispatcher.DispatchHandler, Upgrading {
  readonly response: Promise<Upgraded | WholeResponse>;
  readonly #key: string;
  readonly #timer: NodeJS.Timeout;
  #resolve: (response: Upgraded | WholeResponse) => void = () => {};
  #reject: (failure: SendFailure) => void = () => {};
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: ResponseHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;
  #failure: SendFailure | null = null;
  #isEnded = false;

  constructor(key: string, responseMs: number) {
    this.#key = key;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.#stop(new SendFailure('timeout', 'no response in time')), responseMs);
  }

  abort(): void {
    this.#stop(new SendFailure('aborted', 'the call was ended'));
  }

  refuse(cause: unknown): void {
    this.#stop(new SendFailure('network', cause instanceof Error ? cause.message : String(cause), { cause }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== null) controller.abort(this.#failure);
  }

  onRequestUpgrade(_controller: Dispatcher.DispatchController, _status: number, headers: ResponseHeaders, socket: Duplex): void {
    // Errors are reported by the socket's close.
    socket.on('error', () => {});
    const accepted = createHash('sha1').update(`${this.#key}${websocketGuid}`).digest('base64');
    if (this.#isEnded || headers['sec-websocket-accept'] !== accepted) {
      socket.destroy();
      this.#end(() => this.#reject(new SendFailure('unreadable', 'the response completes another handshake')));
      return;
    }
    this.#end(() => this.#resolve({ kind: 'upgraded', socket, headers }));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > longestRefusal) this.#stop(new SendFailure('too_large', 'the response is too large'));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks);
    this.#end(() => this.#resolve({ kind: 'whole', status: this.#status, headers: this.#headers, body }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#end(() => this.#reject(this.#failure ?? new SendFailure('network', cause.message, { cause })));
  }

  #stop(failure: SendFailure): void {
    if (this.#isEnded || this.#failure !== null) return;
    this.#failure = failure;
    if (this.#controller === null) this.#end(() => this.#reject(failure));
    else this.#controller.abort(failure); // Triggers `onResponseError`.
  }

  #end(report: () => void): void {
    clearTimeout(this.#timer);
    if (this.#isEnded) return;
    this.#isEnded = true;
    report();
  }
}
