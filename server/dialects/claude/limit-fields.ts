/** Where a Messages request says how long the response may be. */
export const limitFields = ['max_tokens'] as const;
