// Sends a call over a WebSocket: one message out, a stream of events back, one per message. Appears as any other
// sending.
import { toEvent } from '#server/framing/sse.ts';
import { UpstreamSocket } from '#server/sockets/upstream-socket.ts';
import { wholeOf } from '#server/framing/byte-source.ts';
import type { SocketEnd } from '#server/formats/upstream-dialect.ts';
import type { Sieve } from './event-sieve.ts';
import { SendFailure } from './send-failure.ts';
import type { Sender, Sending, SendLimits, SendRequest, StreamResponse, WholeResponse } from './send.ts';
import { UpstreamStream } from './upstream-stream.ts';

type Response = WholeResponse | StreamResponse;

export function sendOverSocket(sender: Pick<Sender, 'upgrade'>, request: SendRequest, end: SocketEnd, limits: SendLimits): Sending {
  return new SocketSending(sender, request, end, limits);
}

const lost = () => new SendFailure('network', 'the connection was closed before the answer ended');

class SocketSending implements Sending {
  readonly response: Promise<Response>;
  readonly #end: SocketEnd;
  readonly #limits: SendLimits;
  readonly #isStream: boolean;
  readonly #sieve: Sieve | null;
  readonly #upgrading: ReturnType<Sender['upgrade']>;
  readonly #timer: NodeJS.Timeout;
  #resolve: (response: Response) => void = () => {};
  #reject: (failure: SendFailure) => void = () => {};
  #mayHold: ((bytes: number) => boolean) | undefined;
  #socket: UpstreamSocket | null = null;
  #stream: UpstreamStream | null = null;
  #chunks: Buffer[] = [];
  #size = 0;
  #isEnded = false;

  constructor(sender: Pick<Sender, 'upgrade'>, request: SendRequest, end: SocketEnd, limits: SendLimits) {
    this.#end = end;
    this.#limits = limits;
    this.#isStream = request.isStream === true;
    this.#sieve = request.createSieve?.() ?? null;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { origin, path, proxy } = request;
    const { 'content-type': _type, accept: _accept, ...headers } = request.headers;
    this.#timer = setTimeout(() => this.#fail(new SendFailure('timeout', 'no response in time')), limits.responseMs);
    this.#upgrading = sender.upgrade({ origin, path, headers, proxy }, limits);
    void this.#ask(request.body);
  }

  /** Whether the handshake has succeeded. */
  get isSent(): boolean {
    return this.#socket !== null;
  }

  limitBy(mayHold: (bytes: number) => boolean): void {
    this.#mayHold = mayHold;
    if (this.#stream === null && !mayHold(this.#size)) this.abort();
  }

  abort(): void {
    this.#fail(new SendFailure('aborted', 'the call was ended'));
  }

  async #ask(body: SendRequest['body']): Promise<void> {
    try {
      const message = body === null ? null : await wholeOf(body);
      const reported = await this.#upgrading.response;
      if (reported.kind === 'whole') return this.#complete(reported);
      if (this.#isEnded) return void reported.socket.destroy();
      this.#socket = new UpstreamSocket(reported.socket, {
        message: (bytes) => this.#receive(bytes.toString('utf8')),
        drained: () => {},
        closed: () => this.#fail(lost()),
      });
      if (message !== null) this.#socket.send(message);
    } catch (cause) {
      this.#fail(cause instanceof SendFailure ? cause : new SendFailure('network', String(cause), { cause }));
    }
  }

  #receive(message: string): void {
    const socket = this.#socket;
    if (this.#isEnded || socket === null) return;
    const event = Buffer.from(toEvent(message));
    if (this.#isStream && this.#sieve === null) {
      this.#stream ??= this.#begin(socket);
      this.#stream.push(event);
    } else this.#store(this.#sieve?.push(event) ?? event);
    if (this.#end.isLast(message)) this.#finish();
  }

  #begin(socket: UpstreamSocket): UpstreamStream {
    clearTimeout(this.#timer);
    const stream = new UpstreamStream(socket, () => this.abort());
    this.#resolve({ kind: 'stream', status: 200, headers: {}, stream });
    return stream;
  }

  #store(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > this.#limits.maxBytes || this.#mayHold?.(this.#size) === false)
      return this.#fail(new SendFailure('too_large', 'the response is too large'));
    this.#chunks.push(bytes);
  }

  #finish(): void {
    if (this.#isEnded) return;
    if (this.#sieve !== null) this.#store(this.#sieve.end());
    this.#complete({ kind: 'whole', status: 200, headers: {}, body: Buffer.concat(this.#chunks) });
    this.#socket?.close(1000, '');
  }

  #complete(response: WholeResponse): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    if (this.#stream === null) this.#resolve(response);
    else this.#stream.pushEnd();
  }

  #fail(failure: SendFailure): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#upgrading.abort();
    this.#socket?.terminate();
    if (this.#stream === null) this.#reject(failure);
    else this.#stream.pushFailure(failure);
  }
}
