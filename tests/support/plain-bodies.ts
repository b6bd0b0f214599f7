// The least that a request of each format says, and models that it may go to.

const question = { role: 'user', content: 'Hello' };
/** By the client's format. */
export const plainBodies: Readonly<Record<string, object>> = {
  'openai-chat': { model: 'm', max_tokens: 4096, messages: [question] },
  claude: { model: 'm', max_tokens: 4096, messages: [question] },
  'openai-responses': { model: 'm', max_output_tokens: 4096, input: [question] },
  'openai-completions': { model: 'm', max_tokens: 4096, prompt: 'Hello' },
  'openai-mixed': { model: 'm', max_output_tokens: 4096, input: [question] },
  'gemini-interactions': { model: 'm', input: 'Hello', generation_config: { max_output_tokens: 4096 } },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], generationConfig: { maxOutputTokens: 4096 } },
};
/** By the provider's format: one whose facts are known. */
export const knownModels: Readonly<Record<string, string>> = {
  claude: 'claude-sonnet-4-5',
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-4.1',
  gemini: 'gemini-2.5-flash',
  converse: 'amazon.nova-2-lite-v1:0',
  ollama: 'llama3.2',
  cohere: 'command-a-reasoning-08-2025',
  ernie: 'ERNIE-4.0-8K',
  hunyuan: 'hunyuan-pro',
};
