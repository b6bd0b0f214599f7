// Writes a stream of complete responses, which the format itself does not have.
import type { TokenUsage } from '#shared/token-usage.ts';
import { inputTokens } from '#shared/token-usage.ts';
import { toEvent } from '#server/framing/sse.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';

export function createStreamWriter(): StreamWriter {
  return {
    write(part: ResponsePart) {
      if (part.type === 'finish') return candidate({ finish: true }, part.choice);
      return part.type === 'text' || part.type === 'refusal' ? candidate({ author: '1', content: part.text }, part.choice) : '';
    },
    keepAlive: () => '',
    fail: ({ message }: ErrorObject) => toEvent(JSON.stringify({ error: { code: 500, message, status: 'INTERNAL' } })),
    end: (usage: TokenUsage | null) =>
      toEvent(
        JSON.stringify({ isFinished: true, ...(usage === null ? {} : { usage: { input: inputTokens(usage), output: usage.output } }) }),
      ),
  };
}

function candidate(fields: object, choice = 0): string {
  return toEvent(JSON.stringify({ choice, candidates: [fields] }));
}
