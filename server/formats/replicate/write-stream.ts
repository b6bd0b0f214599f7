// Writes a complete response as a stream of this format.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '../api-surface.ts';
import type { StreamWriter } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';
import { writeTokenUsage } from './token-usage.ts';

export function createStreamWriter(): StreamWriter {
  return {
    write: (part: ResponsePart) => (part.type === 'text' || part.type === 'refusal' ? event('output', part.text) : ''),
    keepAlive: () => '',
    fail: ({ message }: ErrorObject) => event('error', JSON.stringify({ detail: message })),
    end: (usage: TokenUsage | null) => event('done', JSON.stringify(usage === null ? {} : { metrics: writeTokenUsage(usage) })),
  };
}

function event(name: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${name}\n${lines.join('')}\n`;
}
