// Writes a complete response as a stream of this format.
import type { TokenUsage } from '#shared/token-usage.ts';
import { toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { FinishReason, ResponsePart } from '../parts.ts';
import { writeTokenUsage } from './token-usage.ts';

export function createStreamWriter(): StreamWriter {
  return new ErnieWriter();
}

type Json = Record<string, unknown>;

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'normal',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'function_call',
  content_filter: 'content_filter',
  pause: 'normal',
};

class ErnieWriter implements StreamWriter {
  #frame: Json = {};
  #reason: FinishReason = 'stop';
  #call: { name: string; arguments: string } | null = null;

  write(part: ResponsePart): string {
    switch (part.type) {
      case 'start':
        this.#frame = { id: part.id, ...(part.createdAt === undefined ? {} : { created: part.createdAt }) };
        return '';
      case 'text':
      case 'refusal':
        return this.#event({ is_end: false, result: part.text });
      case 'tool_call':
        this.#call = { name: part.name, arguments: '' };
        return '';
      case 'tool_arguments':
        if (this.#call !== null) this.#call.arguments += part.text;
        return '';
      case 'finish':
        this.#reason = part.reason;
        return '';
      default:
        return '';
    }
  }

  #event(fields: Json): string {
    return toEvent(JSON.stringify({ ...this.#frame, ...fields }));
  }

  keepAlive(): string {
    return '';
  }

  fail({ message }: ErrorObject): string {
    return toEvent(JSON.stringify({ error_code: 336_000, error_msg: message }));
  }

  end(usage: TokenUsage | null): string {
    const called = this.#call === null ? {} : { function_call: this.#call };
    const reported = usage === null ? {} : { usage: writeTokenUsage(usage) };
    return this.#event({ is_end: true, result: '', ...called, finish_reason: words[this.#reason], ...reported });
  }
}
