/** What stands in the place of candidates where a filter has stopped the prompt: other vendors do not say more. https://ai.google.dev/api/generate-content#PromptFeedback */
export const blockedPrompt = { promptFeedback: { blockReason: 'SAFETY' } };
