/** https://docs.cohere.com/v2/reference/chat */
export const title = 'Cohere';
