/** The format as people call it. */
export const title = 'OpenAI Responses';
