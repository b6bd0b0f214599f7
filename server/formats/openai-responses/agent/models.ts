// Maps names of Perplexity's models to models and presets. https://docs.perplexity.ai/docs/agent-api/presets Perplexity has
// one model left; its former models are presets with search counts and instructions.
// https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview

/** Perplexity's own model, which answers from search results. */
const perplexityModel = 'perplexity/sonar';

/** Presets by former model name. They are sent with Perplexity's model, because a preset's may be another vendor's, at another price. */
const presetOfEarlier: Readonly<Record<string, string>> = {
  sonar: 'fast',
  'sonar-pro': 'low',
  'sonar-reasoning': 'low',
  'sonar-reasoning-pro': 'medium',
  'sonar-deep-research': 'high',
};

/** Matches a preset, whose model Perplexity chooses. The longer names are former ones. */
const preset = /^(?:preset\/)?(fast|low|medium|high|xhigh|wide-research|fast-search|pro-search|deep-research|advanced-deep-research)$/;

export interface RequestedModel {
  model?: string;
  preset?: string;
}

/**
 * Returns the model and preset to request.
 * @param isOffline whether searches are excluded, which presets cannot express
 */
export function requestedModel(name: string, isOffline: boolean): RequestedModel {
  const earlier = name.startsWith('perplexity/') ? name.slice('perplexity/'.length) : name;
  const stand = name === perplexityModel || !Object.hasOwn(presetOfEarlier, earlier) ? undefined : presetOfEarlier[earlier];
  if (stand !== undefined) return isOffline ? { model: perplexityModel } : { model: perplexityModel, preset: stand };
  const [, named] = preset.exec(name) ?? [];
  return named === undefined ? { model: name } : { preset: named };
}

/** Returns the maximum searches of each call, 0 if unlimited; undefined if the model searches on request only. */
export function searchesOf(name: string): number | undefined {
  const requested = requestedModel(name, false);
  if (requested.preset === undefined) return requested.model === perplexityModel ? 1 : undefined;
  return requested.preset === 'fast' || requested.preset === 'fast-search' ? 1 : 0;
}

/** Reports whether the model requires an output limit. https://docs.perplexity.ai/docs/agent-api/models */
export function needsLimit(name: string): boolean {
  return name.startsWith('anthropic/');
}

/** Reports whether the model takes an effort; Perplexity's does not. */
export function thinks(name: string): boolean {
  return requestedModel(name, false).model !== perplexityModel;
}
