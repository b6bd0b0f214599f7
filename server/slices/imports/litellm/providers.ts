// Providers of LiteLLM, as they stand before the slash of a model, by channel type. https://docs.litellm.ai/docs/providers

export interface LiteLlmProvider {
  type: number;
  /** Address of providers of OpenAI's format that have no type of their own. */
  baseUrl?: string;
}

export const liteLlmProviders: Readonly<Record<string, LiteLlmProvider>> = {
  openai: { type: 1 },
  text_completion_openai: { type: 1 },
  custom_openai: { type: 1 },
  hosted_vllm: { type: 1 },
  openai_like: { type: 1 },
  azure: { type: 3 },
  ollama: { type: 4 },
  ollama_chat: { type: 4 },
  anthropic: { type: 14 },
  dashscope: { type: 17 },
  openrouter: { type: 20 },
  gemini: { type: 24 },
  moonshot: { type: 25 },
  perplexity: { type: 27 },
  bedrock: { type: 33 },
  bedrock_converse: { type: 33 },
  cohere: { type: 34 },
  cohere_chat: { type: 34 },
  minimax: { type: 35 },
  jina_ai: { type: 38 },
  vertex_ai: { type: 41 },
  mistral: { type: 42 },
  deepseek: { type: 43 },
  volcengine: { type: 45 },
  xai: { type: 48 },
  replicate: { type: 56 },
  groq: { type: 1, baseUrl: 'https://api.groq.com/openai' },
  together_ai: { type: 1, baseUrl: 'https://api.together.xyz' },
  fireworks_ai: { type: 1, baseUrl: 'https://api.fireworks.ai/inference' },
  cerebras: { type: 1, baseUrl: 'https://api.cerebras.ai' },
  sambanova: { type: 1, baseUrl: 'https://api.sambanova.ai' },
  deepinfra: { type: 8, baseUrl: 'https://api.deepinfra.com/v1/openai/chat/completions' },
  nvidia_nim: { type: 1, baseUrl: 'https://integrate.api.nvidia.com' },
  nebius: { type: 1, baseUrl: 'https://api.studio.nebius.ai' },
  novita: { type: 1, baseUrl: 'https://api.novita.ai/v3/openai' },
};

/** `provider/model`; a model without provider is known by its name. Null if the provider has no counterpart. */
export function readLiteLlmModel(model: string): { provider: LiteLlmProvider; name: string; model: string } | null {
  const at = model.indexOf('/');
  const before = at < 0 ? '' : model.slice(0, at);
  const provider = liteLlmProviders[before];
  if (provider !== undefined) {
    const rest = model.slice(at + 1);
    return { provider, name: before, model: before === 'bedrock' ? rest.replace(/^(?:converse|invoke|converse_like)\//, '') : rest };
  }
  const guessed = guessProvider(model);
  const found = guessed === undefined ? undefined : liteLlmProviders[guessed];
  return found === undefined || guessed === undefined ? null : { provider: found, name: guessed, model };
}

function guessProvider(model: string): string | undefined {
  if (model.includes('/')) return undefined;
  if (/^(?:gpt-|chatgpt-|o\d|text-embedding-|dall-e|whisper|tts-|omni-)/.test(model)) return 'openai';
  if (model.startsWith('claude')) return 'anthropic';
  if (model.startsWith('gemini')) return 'vertex_ai';
  if (model.startsWith('command')) return 'cohere_chat';
  return undefined;
}
