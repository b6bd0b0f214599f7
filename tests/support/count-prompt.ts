// Tokens of a chat call's prompt, as the relay counts them.
import { promptContent } from '#server/formats/openai-chat/prompt-content.ts';
import { countPrompt } from '#server/exchange/token-estimate.ts';

export function countMessages(messages: readonly object[], model: string): Promise<number> {
  return countPrompt(promptContent({ messages }, model), model, { owner: 0, isEstimated: false });
}
