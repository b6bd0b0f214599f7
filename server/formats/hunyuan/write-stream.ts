// Writes a complete response as a stream of this format.
import type { TokenUsage } from '#shared/token-usage.ts';
import { toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { FinishReason, ResponsePart } from '../parts.ts';
import { writeTokenUsage } from './token-usage.ts';

type Json = Record<string, unknown>;

export function createStreamWriter(): StreamWriter {
  return new HunyuanWriter();
}

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'sensitive',
  pause: 'stop',
};

class HunyuanWriter implements StreamWriter {
  #frame: Json = {};
  #reason: FinishReason = 'stop';

  write(part: ResponsePart): string {
    switch (part.type) {
      case 'start':
        this.#frame = { Id: part.id, ...(part.createdAt === undefined ? {} : { Created: part.createdAt }) };
        return '';
      case 'text':
      case 'refusal':
        return this.#say({ Content: part.text });
      case 'reasoning':
        return this.#say({ ReasoningContent: part.text });
      case 'tool_call':
        return this.#say({
          ToolCalls: [{ Id: part.id, Index: part.index, Type: 'function', Function: { Name: part.name, Arguments: '' } }],
        });
      case 'tool_arguments':
        return this.#say({ ToolCalls: [{ Index: part.index, Function: { Arguments: part.text } }] });
      case 'finish':
        this.#reason = part.reason;
        return '';
      default:
        return '';
    }
  }

  #say(delta: Json): string {
    return this.#event({ Choices: [{ Index: 0, FinishReason: '', Delta: { Role: 'assistant', ...delta } }] });
  }

  #event(fields: Json): string {
    return toEvent(JSON.stringify({ ...this.#frame, ...fields }));
  }

  keepAlive(): string {
    return '';
  }

  fail({ message }: ErrorObject): string {
    return toEvent(JSON.stringify({ ErrorMsg: { Msg: message, Code: 4000 } }));
  }

  end(usage: TokenUsage | null): string {
    const choice = { Index: 0, FinishReason: words[this.#reason], Delta: { Role: 'assistant', Content: '' } };
    return this.#event({ Choices: [choice], ...(usage === null ? {} : { Usage: writeTokenUsage(usage) }) });
  }
}
