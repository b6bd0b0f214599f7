// Recognizes prompts that a vendor's content filter blocked, and presents them as an empty response.
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponsePart } from './parts.ts';

/** Codes of OpenAI and Azure. https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter */
const codes: ReadonlySet<unknown> = new Set(['content_filter', 'content_policy_violation']);

export function isBlockedPrompt({ code }: Pick<ErrorObject, 'code'>): boolean {
  return codes.has(code);
}

export const blockedPromptParts: readonly ResponsePart[] = [{ type: 'finish', reason: 'content_filter' }];
