/** As people call the format. https://docs.cohere.com/v2/reference/chat */
export const title = 'Cohere';
