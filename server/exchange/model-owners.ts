// Who makes which model.
import { factsOf, isKnownName } from '#server/model-facts/find-facts.ts';
import owners from './data/model-owners.json' with { type: 'json' };

const ownerByModel = new Map<string, string>(Object.entries(owners));

/** Vendors as catalogues call them, where they have another name in lists of models. */
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

/** Who makes the model; `custom` for names that nobody knows. */
export function ownerOf(model: string): string {
  const owner = ownerByModel.get(model);
  if (owner !== undefined) return owner;
  const vendor = isKnownName(model) ? factsOf(model)?.owner : undefined;
  return vendor === undefined ? 'custom' : (vendors[vendor] ?? vendor);
}

/** Names of all models that are built in, sorted. */
export function builtInModels(): string[] {
  return [...ownerByModel.keys()].toSorted();
}
