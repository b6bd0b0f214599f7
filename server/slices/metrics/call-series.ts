// Series of calls, found once per model and channel: a call adds to numbers.
import { type TokenUsage, inputTokens } from '#shared/token-usage.ts';
import type { CounterKey, Histogram, Labels, Registry } from '#server/telemetry/registry.ts';
import type { KnownNames } from '#server/slices/metrics/known-names.ts';

export interface SettledCall {
  /** Class of the error; undefined if the response was complete. */
  error: string | undefined;
  isStream: boolean;
  /** Milliseconds from the call's start. */
  durationMs: number;
  firstByteMs: number | undefined;
  usage: TokenUsage | null;
  attempts: number;
}

/** Series of calls of one operation for one model through one channel. */
export interface CallLine {
  settled(call: SettledCall): void;
  attempted(seconds: number, error: string | undefined): void;
}

export interface CallSeries {
  line(operation: string, model: string, channelId: number): CallLine;
  refused(code: string): void;
}

export function createCallSeries(registry: Registry, names: KnownNames): CallSeries {
  let revision = -1;
  /** Operation → model → channel. */
  const lines = new Map<string, Map<string, Map<number, CallLine>>>();
  return {
    line(operation, model, channelId) {
      const current = names.current();
      if (current !== revision) {
        lines.clear();
        revision = current;
      }
      let byModel = lines.get(operation);
      if (byModel === undefined) lines.set(operation, (byModel = new Map()));
      const name = names.model(model);
      let byChannel = byModel.get(name);
      if (byChannel === undefined) byModel.set(name, (byChannel = new Map()));
      let line = byChannel.get(channelId);
      if (line === undefined) {
        const labels = {
          'gen_ai.operation.name': operation,
          'gen_ai.provider.name': names.providerOf(channelId),
          'gen_ai.request.model': name,
          'tidegate.channel.id': names.channel(channelId),
        };
        byChannel.set(channelId, (line = new Line(registry, labels)));
      }
      return line;
    },
    refused(code) {
      registry.counter('refusals', { 'error.type': code }).value += 1;
    },
  };
}

const noError = '';

class Line implements CallLine {
  readonly #registry: Registry;
  readonly #labels: Labels;
  readonly #durations = new Map<string, Histogram>();
  readonly #attempts = new Map<string, Histogram>();
  readonly #counters = new Map<string, { value: number }>();
  #firstToken: Histogram | undefined;
  #perToken: Histogram | undefined;

  constructor(registry: Registry, labels: Labels) {
    this.#registry = registry;
    this.#labels = labels;
  }

  settled({ error, isStream, durationMs, firstByteMs, usage, attempts }: SettledCall): void {
    this.#timed(this.#durations, 'requestDuration', error).record(durationMs / 1000);
    if (attempts > 1) this.#counter('retries', '').value += attempts - 1;
    if (usage !== null) this.#used(usage);
    if (!isStream || error !== undefined || firstByteMs === undefined) return;
    this.#firstToken ??= this.#registry.histogram('timeToFirstToken', this.#labels);
    this.#firstToken.record(firstByteMs / 1000);
    const further = (usage?.output ?? 0) - 1;
    if (further < 1) return;
    this.#perToken ??= this.#registry.histogram('timePerOutputToken', this.#labels);
    this.#perToken.record((durationMs - firstByteMs) / 1000 / further);
  }

  attempted(seconds: number, error: string | undefined): void {
    this.#timed(this.#attempts, 'attemptDuration', error).record(seconds);
  }

  #used(usage: TokenUsage): void {
    const { audioInput, imageInput, audioCacheRead, imageCacheRead, audioOutput, imageOutput, cacheRead, reasoning, output } = usage;
    const input = inputTokens(usage);
    this.#add('inputTokens', input, audioInput + audioCacheRead, imageInput + imageCacheRead);
    this.#add('outputTokens', output, audioOutput, imageOutput);
    if (cacheRead > 0) this.#add('cacheReadTokens', cacheRead, audioCacheRead, imageCacheRead);
    const written = usage.cacheWrite5m + usage.cacheWrite1h;
    if (written > 0) this.#counter('cacheWriteTokens', 'text').value += written;
    if (reasoning > 0) this.#counter('reasoningTokens', 'text').value += reasoning;
  }

  /** Adds tokens by modality; what is neither sound nor picture is text. */
  #add(metric: CounterKey, all: number, audio: number, image: number): void {
    if (audio > 0) this.#counter(metric, 'audio').value += audio;
    if (image > 0) this.#counter(metric, 'image').value += image;
    const text = all - audio - image;
    if (text > 0) this.#counter(metric, 'text').value += text;
  }

  #counter(metric: CounterKey, modality: string): { value: number } {
    const key = metric + modality;
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      const labels = modality === '' ? this.#labels : { ...this.#labels, 'gen_ai.token.modality': modality };
      this.#counters.set(key, (counter = this.#registry.counter(metric, labels)));
    }
    return counter;
  }

  #timed(known: Map<string, Histogram>, metric: 'requestDuration' | 'attemptDuration', error = noError): Histogram {
    let histogram = known.get(error);
    if (histogram === undefined) {
      const labels = error === noError ? this.#labels : { ...this.#labels, 'error.type': error };
      known.set(error, (histogram = this.#registry.histogram(metric, labels)));
    }
    return histogram;
  }
}
