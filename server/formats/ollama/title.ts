/** As people call the format. https://docs.ollama.com/api/chat */
export const title = 'Ollama';
