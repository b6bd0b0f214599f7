// Vendors of models, for model lists.
import { factsOf, isKnownName } from '#server/model-facts/find-facts.ts';
import owners from './data/model-owners.json' with { type: 'json' };

const ownerByModel = new Map<string, string>(Object.entries(owners));

/** Names of vendors in model lists, if they differ from those in catalogues. */
const vendors: Readonly<Record<string, string>> = {
  'text-completion-openai': 'openai',
  'gpt-oss': 'openai',
  gemini: 'google',
  'vertex_ai-language-models': 'google',
  'vertex_ai-embedding-models': 'google',
  cohere_chat: 'cohere',
  jina_ai: 'jina',
  dashscope: 'ali',
  zai: 'zhipu_4v',
};

/** Vendor of the model; `custom` for unknown names. */
export function ownerOf(model: string): string {
  const owner = ownerByModel.get(model);
  if (owner !== undefined) return owner;
  const vendor = isKnownName(model) ? factsOf(model)?.owner : undefined;
  return vendor === undefined ? 'custom' : (vendors[vendor] ?? vendor);
}

/** Names of all built-in models, sorted. */
export function builtInModels(): string[] {
  return [...ownerByModel.keys()].toSorted();
}
