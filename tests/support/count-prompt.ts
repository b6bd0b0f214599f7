// Tokens of a chat call's prompt, as the relay counts them.
import { promptParts } from '#server/dialects/openai-chat/prompt-parts.ts';
import { countParts } from '#server/upstream/token-estimate.ts';

export function countPrompt(messages: readonly object[], model: string): Promise<number> {
  return countParts(promptParts({ messages }, model), model, { owner: 0, isEstimated: false });
}
