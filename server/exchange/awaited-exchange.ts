// Polls a provider that responds later, or follows its stream, until the result is complete. Appears as one exchange
// within one deadline.
import type { Awaiting, AwaitedStep, FollowUp } from '#server/formats/awaiting.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { Exchange, Received } from './exchange.ts';
import { FollowedSending } from './followed-sending.ts';
import { SendFailure } from './send-failure.ts';
import type { EventSource, StreamSink } from './upstream-stream.ts';
import { failureOfSend, invalidResponse } from './upstream-error.ts';

export interface Requesting {
  awaiting: Awaiting;
  /**
   * Sends a follow-up request.
   * @param responseMs time left for its response
   */
  followUp(step: FollowUp, responseMs: number): Promise<Exchange>;
  /** Opens the provider's stream; returns null if the stream must not be read at that URL. */
  openStream(url: string, responseMs: number): Promise<Exchange> | null;
  /** Time for the call and all follow-up requests. */
  responseMs: number;
}

/** Polling intervals in milliseconds: short at first, growing to a maximum. */
const firstPause = 200;
const longestPause = 2000;
const growth = 1.5;
/** Failed polls in a row that are tolerated. */
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
  /** The stream is a separate request from the one that started the work. */
  #isFollowed = false;

  constructor(sending: FollowedSending, requesting: Requesting) {
    this.#sending = sending;
    this.#requesting = requesting;
    this.#deadline = performance.now() + requesting.responseMs;
  }

  async all(first: Promise<Received>): Promise<Received> {
    const response = await this.#follow(await first);
    // Cancels work that would be billed without a reader.
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
      response = step.kind === 'stream' ? await this.#stream(step.url) : await this.#followUp(step);
    }
    return response;
  }

  async #followUp(step: Extract<AwaitedStep, { kind: 'request' }>): Promise<Received> {
    for (let isLater = step.isLater === true; ; isLater = true) {
      if (isLater) await this.#wait();
      const left = this.#deadline - performance.now();
      if (this.#sending.isAborted) return failedBy('aborted', 'the call was ended');
      if (left <= 0) return failedBy('timeout', 'the provider has not answered in time');
      const response = await this.#receive(this.#requesting.followUp(step, left));
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

  /** Reports a lost order: its provider is already at work, so no other channel may be tried. */
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
      const { received } = await this.#requesting.followUp(step, cancelMs);
      const response = await received;
      if (response.kind === 'stream') response.stream.abort();
    };
    // Cancelling is best effort; its failure is ignored.
    void reported().catch(() => {});
  }
}

/** Stream that cancels the provider's work when it is aborted. */
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

/** Reports whether a failed poll may be repeated, because the provider is still at work. */
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
