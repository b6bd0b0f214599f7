/**
 * Response members in place of candidates if a filter blocked the prompt; other vendors report no details.
 * https://ai.google.dev/api/generate-content#PromptFeedback
 */
export const blockedPrompt = { promptFeedback: { blockReason: 'SAFETY' } };
