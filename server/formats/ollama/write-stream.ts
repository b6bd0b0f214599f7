// Writes a complete response as a stream of this format, as server-sent events, to which its lines are converted.
import type { TokenUsage } from '#shared/token-usage.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { FinishReason, ResponsePart } from '../parts.ts';
import { writeTokenUsage } from './token-usage.ts';

export function createStreamWriter(): StreamWriter {
  return new OllamaWriter();
}

type Json = Record<string, unknown>;

class OllamaWriter implements StreamWriter {
  #frame: Json = {};
  #reason: FinishReason = 'stop';
  /** A call is one line with all of its arguments. */
  #call: { id: string; name: string; text: string } | null = null;

  write(part: ResponsePart): string {
    switch (part.type) {
      case 'start': {
        const createdAt = part.createdAt === undefined ? {} : { created_at: new Date(part.createdAt * 1000).toISOString() };
        this.#frame = { model: part.model, ...createdAt };
        return '';
      }
      case 'text':
      case 'refusal':
        return this.#flush() + this.#line({ content: part.text });
      case 'reasoning':
        return this.#flush() + this.#line({ content: '', thinking: part.text });
      case 'tool_call': {
        const before = this.#flush();
        this.#call = { id: part.id, name: part.name, text: '' };
        return before;
      }
      case 'tool_arguments':
        if (this.#call !== null) this.#call.text += part.text;
        return '';
      case 'finish':
        this.#reason = part.reason;
        return '';
      default:
        return '';
    }
  }

  #flush(): string {
    if (this.#call === null) return '';
    const { id, name, text } = this.#call;
    this.#call = null;
    return this.#line({ content: '', tool_calls: [{ id, function: { name, arguments: parseObject(text) ?? {} } }] });
  }

  #line(message: Json, ending: Json = { done: false }): string {
    return toEvent(JSON.stringify({ ...this.#frame, message: { role: 'assistant', ...message }, ...ending }));
  }

  keepAlive(): string {
    return '';
  }

  fail({ message }: ErrorObject): string {
    return toEvent(JSON.stringify({ error: message }));
  }

  end(usage: TokenUsage | null): string {
    const reported = usage === null ? {} : writeTokenUsage(usage);
    const reason = this.#reason === 'length' ? 'length' : 'stop';
    return this.#flush() + this.#line({ content: '' }, { done: true, done_reason: reason, ...reported });
  }
}
