// Writes a complete response as messages of this format.
import type { TokenUsage } from '#shared/token-usage.ts';
import { toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';
import { writeTokenUsage } from './token-usage.ts';

export function createStreamWriter(): StreamWriter {
  return new SparkWriter();
}

class SparkWriter implements StreamWriter {
  #sid = '';

  write(part: ResponsePart): string {
    if (part.type === 'start') this.#sid = part.id;
    if (part.type === 'reasoning') return this.#say(1, { reasoning_content: part.text });
    return part.type === 'text' || part.type === 'refusal' ? this.#say(1, { content: part.text }) : '';
  }

  #say(status: number, said: object, payload: object = {}): string {
    const choices = { status, text: [{ role: 'assistant', index: 0, ...said }] };
    return toEvent(JSON.stringify({ header: { code: 0, sid: this.#sid, status }, payload: { choices, ...payload } }));
  }

  keepAlive(): string {
    return '';
  }

  fail({ message }: ErrorObject): string {
    return toEvent(JSON.stringify({ header: { code: 10_110, message, sid: this.#sid, status: 2 } }));
  }

  end(usage: TokenUsage | null): string {
    return this.#say(2, { content: '' }, usage === null ? {} : { usage: writeTokenUsage(usage) });
  }
}
