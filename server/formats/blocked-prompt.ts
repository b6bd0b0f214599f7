// A prompt that a vendor's filter has stopped, as its error says it, and as a response of nothing else.
import type { ErrorObject } from './client-dialect.ts';
import type { ResponsePart } from './parts.ts';

/** OpenAI's words, and Azure's. https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter */
const codes: ReadonlySet<unknown> = new Set(['content_filter', 'content_policy_violation']);

export function isBlockedPrompt({ code }: Pick<ErrorObject, 'code'>): boolean {
  return codes.has(code);
}

export const blockedPromptParts: readonly ResponsePart[] = [{ type: 'finish', reason: 'content_filter' }];
