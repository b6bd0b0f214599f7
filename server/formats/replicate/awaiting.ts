// Polls a prediction until it ends, or reads its stream if it has one. https://replicate.com/docs/topics/predictions/lifecycle
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import type { AwaitedCall, AwaitedStep, Awaiting, FollowUp } from '../awaiting.ts';

export function createAwaiting(call: AwaitedCall): Awaiting {
  return new PredictionAwaiting(call);
}

const working: ReadonlySet<unknown> = new Set(['starting', 'processing']);

class PredictionAwaiting implements Awaiting {
  // A started prediction is billed.
  readonly isOrder = true;
  readonly #predictions: string;
  readonly #isStream: boolean;
  #id: string | null = null;

  constructor({ path, isStream }: AwaitedCall) {
    this.#predictions = path.replace(/\/v1\/.*$/, '/v1/predictions');
    this.#isStream = isStream;
  }

  next(body: JsonObject): AwaitedStep {
    const { id, status, urls } = body;
    const isWorking = typeof id === 'string' && id !== '' && working.has(status);
    this.#id = isWorking ? id : null;
    if (!isWorking) return { kind: 'response', body };
    const url = this.#isStream && isObject(urls) ? urls.stream : undefined;
    if (typeof url === 'string') return { kind: 'stream', url };
    return { kind: 'request', path: `${this.#predictions}/${encodeURIComponent(id)}`, isLater: true };
  }

  cancel(): FollowUp | null {
    return this.#id === null ? null : { path: `${this.#predictions}/${encodeURIComponent(this.#id)}/cancel`, body: {} };
  }
}
