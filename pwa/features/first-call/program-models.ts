// Model that each program starts with: the best of the family it was made for, among the models that the key may use.
import type { ClientKind } from './snippet-blocks.ts';

/** A conversation that the key may have, with what a million of its input tokens costs (any unit). */
export interface RatedModel {
  name: string;
  price: number;
}

type Family = 'claude' | 'gpt' | 'gemini' | 'grok' | 'deepseek' | 'kimi' | 'glm' | 'qwen' | 'mistral';

const families: Readonly<Record<Family, RegExp>> = {
  claude: /claude/i,
  gpt: /(?:^|\/)(?:gpt-|o\d|codex)/i,
  gemini: /gemini/i,
  grok: /grok/i,
  deepseek: /deepseek/i,
  kimi: /kimi/i,
  glm: /(?:^|[/-])glm-/i,
  qwen: /qwen/i,
  mistral: /mistral|devstral/i,
};

const inOrder = ['claude', 'gpt', 'gemini', 'grok', 'deepseek', 'kimi', 'glm', 'qwen', 'mistral'] as const;

/** Families that a program prefers. All others follow. */
const preferred: Readonly<Partial<Record<ClientKind, readonly Family[]>>> = {
  codex: ['gpt'],
  gemini_cli: ['gemini'],
  langchain: ['gpt'],
  google: ['gemini'],
};

/** Made for one purpose, or answering too slowly to work with: never proposed while the family has another. */
const special =
  /deep-research|search|-chat(?:-latest)?$|computer-use|cyber|-law|rosalind|daybreak|robotics|-live|audio|customtools|-exp\b|experimental|instruct|vision|-ocr|^(?:gpt|o\d).*-pro/i;
const small = /(?<!ge)mini(?!max)|nano|flash|lite|haiku|luna|turbo|small|[-.\d]air|tiny|highspeed|-fast/i;
/** Agents of OpenAI's, which speak Responses only. https://platform.openai.com/docs/models/gpt-5-codex */
const forCodex = /codex/i;

/** The models, the best one for the program first; equal ones retain their order. */
export function rankModels(client: ClientKind, models: readonly RatedModel[]): string[] {
  const order: readonly Family[] = [...(preferred[client] ?? []), ...inOrder];
  const rank = ({ name, price }: RatedModel): number[] => {
    const family = order.findIndex((one) => families[one].test(name));
    return [
      family === -1 ? order.length : family,
      special.test(name) || (forCodex.test(name) && client !== 'codex') ? 1 : 0,
      small.test(name) ? 1 : 0,
      -versionOf(name),
      -price,
      forCodex.test(name) ? 0 : 1,
      // Without its date where there is one with and one without.
      name.length,
    ];
  };
  return models
    .map((model) => ({ name: model.name, rank: rank(model) }))
    .toSorted((a, b) => compare(a.rank, b.rank))
    .map(({ name }) => name);
}

/**
 * Model with the lowest price of the best one's family, for titles and summaries; the best one where there is none. `ranked`: by
 * `rankModels`.
 */
export function smallModelOf(ranked: readonly string[]): string | undefined {
  const [best] = ranked;
  if (best === undefined) return undefined;
  const family = inOrder.find((one) => families[one].test(best));
  if (family === undefined) return best;
  return ranked.find((name) => families[family].test(name) && small.test(name) && !special.test(name)) ?? best;
}

/** First number of a name: 4.5 of `claude-opus-4-5-20251101`, 4 of `gpt-4-0613`. Dates are no versions. */
function versionOf(name: string): number {
  const [, whole, part = '0'] = /(?<![\d.])(\d{1,2})(?:[.-](\d{1,2})(?![\d.]))?(?!\d)/.exec(name.replace(/^.*\//, '')) ?? [];
  return whole === undefined ? 0 : Number(whole) + Number(part) / 100;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
