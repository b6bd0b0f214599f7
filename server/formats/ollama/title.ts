/** https://docs.ollama.com/api/chat */
export const title = 'Ollama';
