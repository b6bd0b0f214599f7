// A call that its provider answers later: it is asked again until it has told all. For whoever waits it is one exchange, within one time.
import type { Awaiting, AwaitedStep, FollowUp } from '#server/formats/awaiting.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { Exchange, Received } from './exchange.ts';
import { FollowedSending } from './followed-sending.ts';
import { SendFailure } from './send-failure.ts';
import type { EventSource, StreamSink } from './upstream-stream.ts';
import { failureOfSend, invalidResponse } from './upstream-error.ts';

export interface Requesting {
  awaiting: Awaiting;
  /** One more request. @param responseMs that are left for its response */
  ask(step: FollowUp, responseMs: number): Promise<Exchange>;
  /** Null: the provider's stream is not to be read there. */
  openStream(url: string, responseMs: number): Promise<Exchange> | null;
  /** For the call and all that follows. */
  responseMs: number;
}

/** Until it is asked again; milliseconds. What is done soon is known soon, and what takes long is not asked about too often. */
const firstPause = 200;
const longestPause = 2000;
const growth = 1.5;
/** Questions in a row that may fail while the provider goes on working. */
const mostFailures = 3;

type Failed = Extract<Received, { kind: 'failed' }>;

export function withAwaiting(first: Exchange, requesting: Requesting): Exchange {
  const sending = new FollowedSending(first.sending);
  return { sending, received: new AwaitedExchange(sending, requesting).all(first.received) };
}

class AwaitedExchange {
  readonly #sending: FollowedSending;
  readonly #requesting: Requesting;
  /** Monotonic milliseconds. */
  readonly #deadline: number;
  #pause = firstPause;
  #failures = 0;
  /** The stream is another request than the one that began the work. */
  #isFollowed = false;

  constructor(sending: FollowedSending, requesting: Requesting) {
    this.#sending = sending;
    this.#requesting = requesting;
    this.#deadline = performance.now() + requesting.responseMs;
  }

  async all(first: Promise<Received>): Promise<Received> {
    const response = await this.#follow(await first);
    // What is still at work there would be billed for nobody.
    if (response.kind === 'failed') this.#cancel();
    if (response.kind !== 'stream' || !this.#isFollowed) return response;
    return { ...response, stream: new EndedStream(response.stream, () => this.#cancel()) };
  }

  async #follow(first: Received): Promise<Received> {
    let response = first;
    while (response.kind === 'whole') {
      const reported = parseObject(response.body.toString('utf8'));
      const step: AwaitedStep = reported === null ? { kind: 'response', body: {} } : this.#requesting.awaiting.next(reported);
      if (step.kind === 'lost') return lost();
      if (step.kind === 'response')
        return reported === null ? response : { ...response, status: 200, body: Buffer.from(JSON.stringify(step.body)) };
      response = step.kind === 'stream' ? await this.#stream(step.url) : await this.#ask(step);
    }
    return response;
  }

  async #ask(step: Extract<AwaitedStep, { kind: 'ask' }>): Promise<Received> {
    for (let isLater = step.isLater === true; ; isLater = true) {
      if (isLater) await this.#wait();
      const left = this.#deadline - performance.now();
      if (this.#sending.isAborted) return failedBy('aborted', 'the call was ended');
      if (left <= 0) return failedBy('timeout', 'the provider has not answered in time');
      const response = await this.#receive(this.#requesting.ask(step, left));
      if (response.kind !== 'failed') {
        this.#failures = 0;
        return response;
      }
      if (isPassing(response) && ++this.#failures <= mostFailures) continue;
      return this.#orLost(response);
    }
  }

  async #stream(url: string): Promise<Received> {
    const opening = this.#requesting.openStream(url, Math.max(1, this.#deadline - performance.now()));
    if (opening === null) return this.#orLost({ kind: 'failed', status: 0, failure: invalidResponse(), cause: null });
    this.#isFollowed = true;
    const response = await this.#receive(opening);
    return response.kind === 'failed' ? this.#orLost(response) : response;
  }

  /** The provider is at work already: of an order nobody else is asked for it. */
  #orLost(failed: Failed): Failed {
    return this.#requesting.awaiting.isOrder === true && !this.#sending.isAborted ? lost() : failed;
  }

  async #receive(requesting: Promise<Exchange>): Promise<Received> {
    this.#sending.begun();
    const next = await requesting;
    this.#sending.follow(next.sending);
    return next.received;
  }

  async #wait(): Promise<void> {
    const pause = Math.min(this.#pause, Math.max(0, this.#deadline - performance.now()));
    this.#pause = Math.min(this.#pause * growth, longestPause);
    await this.#sending.pause(pause);
  }

  #cancel(): void {
    const step = this.#requesting.awaiting.cancel();
    if (step === null) return;
    const reported = async () => {
      const { received } = await this.#requesting.ask(step, cancelMs);
      const response = await received;
      if (response.kind === 'stream') response.stream.abort();
    };
    // Nobody waits for it, and nothing can be done about its failure.
    void reported().catch(() => {});
  }
}

/** A stream that ends the work behind it when it is aborted. */
class EndedStream implements EventSource {
  readonly #source: EventSource;
  readonly #end: () => void;

  constructor(source: EventSource, end: () => void) {
    this.#source = source;
    this.#end = end;
  }

  read(sink: StreamSink): void {
    this.#source.read(sink);
  }

  pause(): void {
    this.#source.pause();
  }

  resume(): void {
    this.#source.resume();
  }

  abort(): void {
    this.#source.abort();
    this.#end();
  }
}

const cancelMs = 10_000;

/** Of a question, not of the call. */
function isPassing({ status, cause }: Failed): boolean {
  return cause === null ? status === 429 || status >= 500 : cause.reason === 'network';
}

function lost(): Failed {
  return failedBy('timeout', 'the provider does not tell what has become of it');
}

function failedBy(reason: SendFailure['reason'], message: string): Failed {
  const cause = new SendFailure(reason, message);
  return { kind: 'failed', status: 0, failure: failureOfSend(cause, 'first_byte'), cause };
}
