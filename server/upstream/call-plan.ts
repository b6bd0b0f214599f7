// What a call of one model through one channel looks like, before its body is known: names, address, rules that apply.
import type { RequestPlan } from '#server/dialects/dialect-channel.ts';
import type { Capability, ModelRule } from '#server/dialects/provider-traits.ts';
import type { PathRule } from './providers/spec.ts';
import type { PreparedChannel } from './prepared-channel.ts';

export interface CallPlan extends RequestPlan {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** The channel's mapping changed the name. */
  readonly isMapped: boolean;
  readonly hasLongIdle: boolean;
}

interface PlanRequest {
  channel: Pick<PreparedChannel, 'provider' | 'modelMapping' | 'base' | 'record'>;
  capability: Capability;
  model: string;
  version?: string;
}

/** Null: the provider cannot do this. */
export function planCall({ channel, capability, model, version }: PlanRequest): CallPlan | null {
  const { provider } = channel;
  const paths = provider?.paths[capability];
  if (provider === null || paths === undefined) return null;

  const mapped = channel.modelMapping.get(model) ?? model;
  let upstreamModel = mapped;
  const rules: ModelRule[] = [];
  const set: Record<string, unknown> = {};
  for (const rule of provider.quirks?.modelRules ?? []) {
    if (!applies(rule, upstreamModel)) continue;
    rules.push(rule);
    const ending = rule.suffixes?.find(({ suffix }) => upstreamModel.endsWith(suffix) && upstreamModel.length > suffix.length);
    if (ending === undefined) continue;
    upstreamModel = upstreamModel.slice(0, -ending.suffix.length);
    Object.assign(set, ending.set);
  }

  const name = upstreamModel;
  // In a path they would lead to another one.
  if (/(^|\/)\.{1,2}(\/|$)/.test(name)) return null;
  let base = channel.base;
  let template = pathFor(paths, name);
  if (provider.gatewayDrops !== undefined && base.startsWith('https://gateway.ai.cloudflare.com')) {
    template = template.replace(`{base}${provider.gatewayDrops}`, '{base}');
  }
  if (base.includes('{model}')) base = base.replaceAll('{model}', () => encoded(name));
  const { other } = channel.record;
  const filled = template
    .replace('{base}', () => base)
    .replace('{model}', () => encoded(name))
    .replace('{deployment}', () => encoded(name.replaceAll('.', '')))
    .replace('{version}', () => encodeURIComponent(version || other || provider.defaultVersion || ''))
    .replace('{other}', () => encodeURIComponent(other));
  const url = URL.parse(filled);
  if (url === null) return null;
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    upstreamModel,
    isMapped: mapped !== model,
    rules,
    set: Object.keys(set).length === 0 ? null : set,
    isDeveloperRole: rules.some((rule) => rule.developerRole?.some((pattern) => matches(pattern, name)) === true),
    hasLongIdle: rules.some((rule) => rule.longIdle === true),
  };
}

function applies(rule: ModelRule, model: string): boolean {
  const begins = (prefix: string) => model.startsWith(prefix);
  return rule.prefixes.some(begins) && rule.except?.some(begins) !== true;
}

function matches(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern;
}

function pathFor(paths: string | readonly PathRule[], model: string): string {
  if (typeof paths === 'string') return paths;
  return paths.find((rule) => rule.modelPrefix === undefined || model.startsWith(rule.modelPrefix))?.path ?? '{base}';
}

/** A model name within a path: slashes, colons and `@` are part of many names and stay. */
function encoded(model: string): string {
  return encodeURI(model.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23');
}
