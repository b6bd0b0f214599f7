/** Where a chat completion request says how long a choice may be. Providers differ in which they heed. */
export const limitFields = ['max_tokens', 'max_completion_tokens'] as const;
