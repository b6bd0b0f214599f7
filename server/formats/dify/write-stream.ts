// Writes a complete response as a stream of this format.
import type { TokenUsage } from '#shared/token-usage.ts';
import { toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';
import { writeTokenUsage } from './token-usage.ts';

type Json = Record<string, unknown>;

export function createStreamWriter(): StreamWriter {
  return new DifyWriter();
}

class DifyWriter implements StreamWriter {
  #id = '';

  write(part: ResponsePart): string {
    if (part.type === 'start') this.#id = part.id;
    return part.type === 'text' || part.type === 'refusal' ? this.#event({ event: 'message', answer: part.text }) : '';
  }

  #event(fields: Json): string {
    return toEvent(JSON.stringify({ ...fields, message_id: this.#id, conversation_id: this.#id }));
  }

  keepAlive(): string {
    return '';
  }

  fail({ message }: ErrorObject): string {
    return this.#event({ event: 'error', status: 500, code: 'internal_server_error', message });
  }

  end(usage: TokenUsage | null): string {
    return this.#event({ event: 'message_end', metadata: usage === null ? {} : { usage: writeTokenUsage(usage) } });
  }
}
