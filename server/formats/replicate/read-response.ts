// Reads an ended prediction or its stream into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { errorOf } from './errors.ts';
import { usageParts } from './token-usage.ts';
import { withBilled } from '../token-usage.ts';

export function readWhole({ id, status, output, created_at: created, metrics }: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (status !== 'succeeded') return null;
  const text = writtenIn(output);
  if (text === null) return null;
  return [
    { type: 'start', id: typeof id === 'string' ? id : '', model: '', ...createdAt(created) },
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    { type: 'finish', reason: 'stop' },
    ...usageParts(metrics),
  ];
}

/** Returns null if the output is not text. */
function writtenIn(output: unknown): string | null {
  if (output === undefined || output === null) return '';
  if (typeof output === 'string') return output;
  return Array.isArray(output) && output.every((piece) => typeof piece === 'string') ? output.join('') : null;
}

function createdAt(created: unknown): { createdAt?: number } {
  const time = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  return Number.isNaN(time) ? {} : { createdAt: Math.floor(time / 1000) };
}

export function createStreamReader(): StreamReader {
  return new PredictionReader();
}

class PredictionReader implements StreamReader {
  #hasBegun = false;
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ name, data }: FramedEvent): readonly ResponsePart[] {
    const parts = this.#event(name, data);
    if (parts.length === 0 || this.#hasBegun || parts[0]?.type === 'error') return parts;
    this.#hasBegun = true;
    return [{ type: 'start', id: '', model: '' }, ...parts];
  }

  #event(name: string, data: string): ResponsePart[] {
    if (name === 'output') return data === '' ? [] : [{ type: 'text', text: data }];
    if (name === 'error') return [{ type: 'error', error: errorOf(parseObject(data) ?? data, 'the prediction has failed') }];
    if (name !== 'done') return [];
    const { reason, metrics } = parseObject(data) ?? {};
    if (reason === 'error' || reason === 'canceled') {
      const error = errorOf(null, `the prediction ended: ${reason}`);
      return [{ type: 'error', error: withBilled(error, usageParts(metrics)) }];
    }
    this.#isComplete = true;
    return [{ type: 'finish', reason: 'stop' }, ...usageParts(metrics)];
  }
}
