// Writes a complete response as events of this format.
import type { TokenUsage } from '#shared/token-usage.ts';
import { inputTokens } from '#shared/token-usage.ts';
import { toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';

export function createStreamWriter(): StreamWriter {
  const event = (fields: object) => toEvent(JSON.stringify(fields));
  return {
    write(part: ResponsePart) {
      if (part.type === 'citation') return event({ content: '', finish: false, documents: [{ title: part.title ?? '', url: part.url }] });
      return part.type === 'text' || part.type === 'refusal' ? event({ content: part.text, finish: false }) : '';
    },
    keepAlive: () => '',
    fail: ({ message }: ErrorObject) => event({ success: false, errCode: 500, message }),
    end: (usage: TokenUsage | null) =>
      event({ content: '', finish: true, ...(usage === null ? {} : { usage: { input: inputTokens(usage), output: usage.output } }) }),
  };
}
