// Writes a complete response as a stream of this format.
import type { TokenUsage } from '#shared/token-usage.ts';
import { toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';
import { writeTokenUsage } from './token-usage.ts';

type Json = Record<string, unknown>;

export function createStreamWriter(): StreamWriter {
  return new CozeWriter();
}

class CozeWriter implements StreamWriter {
  #id = '';

  write(part: ResponsePart): string {
    if (part.type === 'start') this.#id = part.id;
    if (part.type === 'reasoning') return this.#delta({ reasoning_content: part.text, content: '' });
    return part.type === 'text' || part.type === 'refusal' ? this.#delta({ content: part.text }) : '';
  }

  #delta(fields: Json): string {
    const message = { id: this.#id, chat_id: this.#id, role: 'assistant', type: 'answer', content_type: 'text' };
    return event('conversation.message.delta', { ...message, ...fields });
  }

  keepAlive(): string {
    return '';
  }

  fail({ message }: ErrorObject): string {
    return event('error', { code: 5000, msg: message });
  }

  end(usage: TokenUsage | null): string {
    const reported = usage === null ? {} : { usage: writeTokenUsage(usage) };
    return event('conversation.chat.completed', { id: this.#id, status: 'completed', ...reported });
  }
}

function event(name: string, data: Json): string {
  return `event: ${name}\n${toEvent(JSON.stringify(data))}`;
}
