// Maps names of Perplexity's models. https://docs.perplexity.ai/docs/agent-api/presets One model of its own remains; former models are
// presets with search counts and instructions. https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview

/** Perplexity's own model, which answers from search results. */
const own = 'perplexity/sonar';

/** Former names by their preset, whose model may be another vendor's at another price. */
const presetOfEarlier: Readonly<Record<string, string>> = {
  sonar: 'fast',
  'sonar-pro': 'low',
  'sonar-reasoning': 'low',
  'sonar-reasoning-pro': 'medium',
  'sonar-deep-research': 'high',
};

/** A preset, whose model Perplexity chooses; the longer names are former ones. */
const preset = /^(?:preset\/)?(fast|low|medium|high|xhigh|wide-research|fast-search|pro-search|deep-research|advanced-deep-research)$/;

export interface RequestedModel {
  model?: string;
  preset?: string;
}

/** @param isOffline searching is not allowed, which presets cannot express */
export function requestedModel(name: string, isOffline: boolean): RequestedModel {
  const earlier = name.startsWith('perplexity/') ? name.slice('perplexity/'.length) : name;
  const stand = name === own || !Object.hasOwn(presetOfEarlier, earlier) ? undefined : presetOfEarlier[earlier];
  if (stand !== undefined) return isOffline ? { model: own } : { model: own, preset: stand };
  const [, named] = preset.exec(name) ?? [];
  return named === undefined ? { model: name } : { preset: named };
}

/** Maximum searches of every call; 0: unlimited. If undefined, the model searches on request only. */
export function searchesOf(name: string): number | undefined {
  const requested = requestedModel(name, false);
  if (requested.preset === undefined) return requested.model === own ? 1 : undefined;
  return requested.preset === 'fast' || requested.preset === 'fast-search' ? 1 : 0;
}

/** Models that require an output limit. https://docs.perplexity.ai/docs/agent-api/models */
export function needsLimit(name: string): boolean {
  return name.startsWith('anthropic/');
}

/** Whether the model takes an effort; Perplexity's own does not. */
export function thinks(name: string): boolean {
  return requestedModel(name, false).model !== own;
}
