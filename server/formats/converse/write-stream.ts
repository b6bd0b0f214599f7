// Writes a complete response as a stream of this format, as server-sent events, to which its frames are converted.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';
import { writeStopReason } from './stop-reason.ts';
import { writeTokenUsage } from './token-usage.ts';

export function createStreamWriter(): StreamWriter {
  return new ConverseWriter();
}

class ConverseWriter implements StreamWriter {
  #block = 0;
  /** Blocks of calls by call number. */
  readonly #calls = new Map<number, number>();

  write(part: ResponsePart): string {
    switch (part.type) {
      case 'start':
        return event('messageStart', { role: 'assistant' });
      case 'text':
      case 'refusal':
        return this.#delta({ text: part.text });
      case 'reasoning':
        return this.#delta({ reasoningContent: { text: part.text } });
      case 'reasoning_seal':
        return this.#delta({ reasoningContent: { signature: part.seal.data } });
      case 'sealed':
        return this.#delta({ reasoningContent: { redactedContent: part.seal.data } });
      case 'image':
        return this.#delta({ image: { format: part.mediaType.replace(/^image\//, ''), source: { bytes: part.data } } });
      case 'tool_call':
        this.#block += 1;
        this.#calls.set(part.index, this.#block);
        return event('contentBlockStart', {
          start: { toolUse: { toolUseId: part.id, name: part.name } },
          contentBlockIndex: this.#block,
        });
      case 'tool_arguments':
        return this.#delta({ toolUse: { input: part.text } }, this.#calls.get(part.index));
      case 'finish':
        return event('messageStop', { stopReason: writeStopReason(part.reason) });
      default:
        return '';
    }
  }

  #delta(delta: object, contentBlockIndex = this.#block): string {
    return event('contentBlockDelta', { delta, contentBlockIndex });
  }

  keepAlive(): string {
    return '';
  }

  fail({ message, type, status }: ErrorObject): string {
    return event('error', { type: 'error', error: { type, message, status } });
  }

  end(usage: TokenUsage | null): string {
    return event('metadata', usage === null ? {} : { usage: writeTokenUsage(usage) });
  }
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
