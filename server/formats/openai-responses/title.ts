export const title = 'OpenAI Responses';
