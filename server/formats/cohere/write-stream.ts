// Writes a complete response as a stream of this format.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { FinishReason, ResponsePart } from '../parts.ts';
import { writeFinishReason } from './finish-reason.ts';
import { writeTokenUsage } from './token-usage.ts';

export function createStreamWriter(): StreamWriter {
  return new CohereWriter();
}

type Json = Record<string, unknown>;

class CohereWriter implements StreamWriter {
  #reason: FinishReason = 'stop';

  write(part: ResponsePart): string {
    switch (part.type) {
      case 'start':
        return event('message-start', { id: part.id, delta: { message: { role: 'assistant' } } });
      case 'text':
      case 'refusal':
        return this.#message('content-delta', { content: { text: part.text } });
      case 'reasoning':
        return this.#message('content-delta', { content: { thinking: part.text } });
      case 'tool_call': {
        const call = { id: part.id, type: 'function', function: { name: part.name, arguments: '' } };
        return this.#message('tool-call-start', { tool_calls: call }, part.index);
      }
      case 'tool_arguments':
        return this.#message('tool-call-delta', { tool_calls: { function: { arguments: part.text } } }, part.index);
      case 'citation': {
        const document = { url: part.url, ...(part.title === undefined ? {} : { title: part.title }) };
        const quoted = part.text === undefined ? {} : { snippet: part.text };
        const sources = [{ type: 'document', id: part.url, document: { ...document, ...quoted } }];
        return this.#message('citation-start', { citations: { start: part.start, end: part.end, sources } });
      }
      case 'finish':
        this.#reason = part.reason;
        return '';
      default:
        return '';
    }
  }

  #message(type: string, message: Json, index = 0): string {
    return event(type, { index, delta: { message } });
  }

  keepAlive(): string {
    return '';
  }

  fail({ message }: ErrorObject): string {
    return event('message-end', { delta: { finish_reason: 'ERROR', error: message } });
  }

  end(usage: TokenUsage | null): string {
    const reported = usage === null ? {} : { usage: writeTokenUsage(usage) };
    return event('message-end', { delta: { finish_reason: writeFinishReason(this.#reason), ...reported } });
  }
}

function event(type: string, data: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
