// What is asked for by the names of Perplexity's models. https://docs.perplexity.ai/docs/agent-api/presets
// One model of its own is left; what the others were better at is a preset now: how often it searches, and how it is told to answer.
// https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/overview

/** Its own model, which answers from what it finds. */
const own = 'perplexity/sonar';

/** The earlier names, by the preset that stands in for each; its model would be one of another vendor, at another price. */
const presetOfEarlier: Readonly<Record<string, string>> = {
  sonar: 'fast',
  'sonar-pro': 'low',
  'sonar-reasoning': 'low',
  'sonar-reasoning-pro': 'medium',
  'sonar-deep-research': 'high',
};

/** A preset by itself, whose model Perplexity chooses; the longer names are the earlier ones. */
const preset = /^(?:preset\/)?(fast|low|medium|high|xhigh|wide-research|fast-search|pro-search|deep-research|advanced-deep-research)$/;

export interface RequestedModel {
  model?: string;
  preset?: string;
}

/** @param isOffline nothing is to be searched, which presets cannot be told */
export function requestedModel(name: string, isOffline: boolean): RequestedModel {
  const earlier = name.startsWith('perplexity/') ? name.slice('perplexity/'.length) : name;
  const stand = name === own || !Object.hasOwn(presetOfEarlier, earlier) ? undefined : presetOfEarlier[earlier];
  if (stand !== undefined) return isOffline ? { model: own } : { model: own, preset: stand };
  const [, named] = preset.exec(name) ?? [];
  return named === undefined ? { model: name } : { preset: named };
}

/** It searches in every call, and how often at the most; 0: as often as it likes. Undefined: where it is asked to. */
export function searchesOf(name: string): number | undefined {
  const requested = requestedModel(name, false);
  if (requested.preset === undefined) return requested.model === own ? 1 : undefined;
  return requested.preset === 'fast' || requested.preset === 'fast-search' ? 1 : 0;
}

/** Of these the length of the answer has to be told. https://docs.perplexity.ai/docs/agent-api/models */
export function needsLimit(name: string): boolean {
  return name.startsWith('anthropic/');
}

/** Whether it may be told how much to think: its own model does not. */
export function thinks(name: string): boolean {
  return requestedModel(name, false).model !== own;
}
