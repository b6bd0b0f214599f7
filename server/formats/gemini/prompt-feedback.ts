/**
 * Replaces candidates if a filter blocked the prompt; other vendors report no more.
 * https://ai.google.dev/api/generate-content#PromptFeedback
 */
export const blockedPrompt = { promptFeedback: { blockReason: 'SAFETY' } };
