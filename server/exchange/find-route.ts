// Finds the route of a model's calls through a channel before the body is known: format, URL, model name, rules.
import type { CallKind, CallKindName } from '#server/kinds/call-kind.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { deploymentOf } from '#server/formats/deployment.ts';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import type { ReasoningWish } from '#server/formats/parts.ts';
import type { ModelRule, ModelSuffix } from '#server/formats/provider-traits.ts';
import type { Route } from '#server/formats/route.ts';
import { factsOf, isKnownName } from '#server/model-facts/find-facts.ts';
import type { ModelFacts } from '#server/model-facts/model-facts.ts';
import { formatFor } from './choose-format.ts';
import type { BatchPair, BetaPair, ModelLocation, PathPair, PathRule, Provider } from '#server/providers/spec.ts';
import type { PreparedChannel, PreparedFormat } from './prepared-channel.ts';
import { readThinkingEnding } from './thinking-suffixes.ts';

export interface ChannelRoute extends Route {
  readonly format: PreparedFormat;
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  /** Path of streamed calls. */
  readonly streamPath: string;
  /** Path of batched requests. */
  readonly batchPath: string;
  /** Path of sessions in the beta format. */
  readonly betaPath: string;
  /** The provider has no path for this kind and is called through another kind. */
  readonly isInPieces: boolean;
  /** The channel's mapping changed the model name. */
  readonly isMapped: boolean;
  readonly hasLongIdle: boolean;
  /** Fallback route, in another format of the provider, for calls that this one cannot carry. */
  readonly otherwise?: ChannelRoute;
  /**
   * Route for calls with functions, if the model rejects functions in this format; undefined if it accepts them or no
   * other format does.
   */
  readonly withFunctions?: ChannelRoute;
}

export interface RouteRequest {
  channel: Pick<
    PreparedChannel,
    'provider' | 'formats' | 'modelMapping' | 'base' | 'key' | 'record' | 'setting' | 'paramOverride' | 'paramOperations'
  >;
  client: ClientDialect;
  kind: CallKindName;
  model: string;
  /** `api-version` of the client's query. */
  version?: string | undefined;
  /** API versions by upstream model, from a setting. */
  versions?: ModelVersions | undefined;
  /** Whether suffixes of model names set the thinking budget; true if undefined. */
  readsThinkingEndings?: boolean | undefined;
  /** Requires a format whose models can search vector stores. */
  searchesStores?: boolean | undefined;
}

export type ModelVersions = Readonly<Record<string, string>>;

/** Returns null if the provider does not support the call. */
export function findRoute(requested: RouteRequest): ChannelRoute | null {
  const kind = callKinds[requested.kind];
  const route = routeOfKind(requested, kind);
  if (route !== null) return withFunctions(withOther(route, requested, kind), requested, kind);
  if (kind.over === null) return null;
  const over = findRoute({ ...requested, kind: kind.over.kind.name });
  return over === null ? null : { ...over, isInPieces: true };
}

/** Adds a fallback route: the preferred format of the model may be unable to carry a call. */
function withOther(route: ChannelRoute, requested: RouteRequest, kind: CallKind): ChannelRoute {
  const { isBestFor, isSoleFor } = route.format;
  if (route.identity !== null || isBestFor === undefined || (route.facts !== undefined && isSoleFor?.(route.facts) === true)) return route;
  const formats = requested.channel.formats.filter((format) => format !== route.format);
  const otherwise = routeOfKind({ ...requested, channel: { ...requested.channel, formats } }, kind);
  return otherwise === null ? route : { ...route, otherwise };
}

/** Adds a route for functions if the model rejects them in the caller's own format. */
function withFunctions(route: ChannelRoute, requested: RouteRequest, kind: CallKind): ChannelRoute {
  const { facts, format } = route;
  if (route.identity === null || facts?.isToolsByResponses !== true || format.dialect.hasRefusedFunctions === undefined) return route;
  const formats = requested.channel.formats.filter(({ isBestFor }) => isBestFor?.(facts) === true);
  const other = formats.length === 0 ? null : routeOfKind({ ...requested, channel: { ...requested.channel, formats } }, kind);
  return other === null ? route : { ...route, withFunctions: other };
}

function routeOfKind(
  { channel, client, model, version, versions, readsThinkingEndings, searchesStores }: RouteRequest,
  kind: CallKind,
): ChannelRoute | null {
  const { provider } = channel;
  const mapped = channel.modelMapping.get(model) ?? model;
  const formats = searchesStores === true ? channel.formats.filter(({ dialect }) => dialect.searchesStores === true) : channel.formats;
  const format = formatFor(formats, { client, kind: kind.name, model: mapped, requestedAs: model });
  const paths = format?.paths[kind.name];
  if (provider === null || format === null || paths === undefined) return null;

  const { modelNames = {} } = provider;
  let upstreamModel = (Object.hasOwn(modelNames, mapped) ? modelNames[mapped] : undefined) ?? mapped;
  const rules: ModelRule[] = [];
  const set: Record<string, unknown> = {};
  let thinkingWish: ReasoningWish | undefined;
  for (const rule of format.traits.modelRules ?? []) {
    if (!applies(rule, upstreamModel, factsOf(upstreamModel) ?? factsOf(model))) continue;
    rules.push(rule);
    const ended = rule.hasThinkingEndings === true && readsThinkingEndings !== false ? readThinkingEnding(upstreamModel) : null;
    if (ended !== null) [upstreamModel, thinkingWish] = [ended.model, ended.wish];
    const ending = rule.suffixes?.find((one) => isEnding(one, upstreamModel));
    if (ending === undefined) continue;
    upstreamModel = upstreamModel.slice(0, -ending.suffix.length);
    Object.assign(set, ending.set);
  }

  const name = upstreamModel;
  if (leadsElsewhere(name)) return null;
  const { whole, stream, batch, beta } = pathFor(paths, name);
  if (whole === null) return null;
  const { key, record } = channel;
  const location = provider.locate?.({ key, other: record.other, clientModel: model, model: name });
  if (location === null || (location !== undefined && leadsElsewhere(location.model))) return null;
  const { baseUrl } = format;
  const address = { channel, provider, baseUrl, name: location?.model ?? name, version: versionOf(versions, name) ?? version, location };
  if (lacksValues(whole, location)) return null;
  const url = URL.parse(filled(whole, address));
  const streamUrl = stream === whole ? url : URL.parse(filled(stream, address));
  const batchUrl = batch === whole ? url : URL.parse(filled(batch, address));
  const betaUrl = beta === whole ? url : URL.parse(filled(beta, address));
  if (url === null || streamUrl === null || batchUrl === null || betaUrl === null) return null;
  const { dialect, framing, traits } = format;
  const knownAs = factsOf(name) === undefined ? model : name;
  const facts = factsOf(knownAs);
  return {
    format,
    dialect,
    framing: kind.framing ?? framing,
    provider: traits,
    identity: kind.identityOf(client, dialect),
    isInPieces: false,
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    streamPath: `${streamUrl.pathname}${streamUrl.search}`,
    batchPath: `${batchUrl.pathname}${batchUrl.search}`,
    betaPath: `${betaUrl.pathname}${betaUrl.search}`,
    upstreamModel,
    nameThere: address.name,
    isMapped: mapped !== model,
    knownAs,
    facts,
    rules,
    set: Object.keys(set).length === 0 ? null : set,
    thinkingWish,
    isDeveloperRole: facts !== undefined && rules.some((rule) => rule.developerRole?.(facts) === true),
    hasLongIdle: rules.some((rule) => rule.longIdle === true),
    setting: channel.setting,
    paramOverride: channel.paramOverride,
    ...(channel.paramOperations === undefined ? {} : { paramOperations: channel.paramOperations }),
  };
}

const known = new Set(['base', 'model', 'deployment', 'modelValue', 'deploymentValue', 'collection', 'version', 'other']);

function lacksValues(path: string, location: ModelLocation | undefined): boolean {
  if (location === undefined) return false;
  return [...path.matchAll(/\{(\w+)\}/g)].some(([, name = '']) => !known.has(name) && location.values[name] === undefined);
}

/** Reports whether a name would change the path: it has a segment `.` or `..`. */
function leadsElsewhere(name: string): boolean {
  return /(^|\/)\.{1,2}(\/|$)/.test(name);
}

function applies({ prefixes, isFor }: ModelRule, model: string, facts: ModelFacts | undefined): boolean {
  if (prefixes !== undefined && !prefixes.some((prefix) => model.startsWith(prefix))) return false;
  return isFor === undefined || (facts !== undefined && isFor(facts));
}

/** Reports whether the model's name has the suffix. The name of a known model has none, even if it ends alike. */
function isEnding({ suffix, ofTakers }: ModelSuffix, model: string): boolean {
  if (!model.endsWith(suffix) || model.length === suffix.length || isKnownName(model)) return false;
  return ofTakers === undefined || factsOf(model.slice(0, -suffix.length))?.thinking?.efforts?.includes(ofTakers) === true;
}

/** Returns null if no path serves this model. */
function pathFor(
  paths: string | readonly PathRule[] | PathPair | BatchPair | BetaPair,
  model: string,
): (PathPair & BatchPair & BetaPair) | { whole: null; stream: string; batch: string; beta: string } {
  if (typeof paths === 'object' && 'whole' in paths) return { stream: paths.whole, batch: paths.whole, beta: paths.whole, ...paths };
  const path = typeof paths === 'string' ? paths : ruleFor(paths, model);
  return path === null ? { whole: null, stream: '', batch: '', beta: '' } : { whole: path, stream: path, batch: path, beta: path };
}

function ruleFor(rules: readonly PathRule[], model: string): string | null {
  const facts = factsOf(model);
  const rule = rules.find(({ modelPrefix, isFor }) => {
    if (modelPrefix !== undefined && !model.startsWith(modelPrefix)) return false;
    return isFor === undefined || (facts !== undefined && isFor(facts));
  });
  return rule === undefined ? '{base}' : rule.path;
}

/** Guards against model names such as `constructor`. */
function versionOf(versions: ModelVersions | undefined, model: string): string | undefined {
  if (versions === undefined) return undefined;
  return (Object.hasOwn(versions, model) ? versions[model] : undefined) || versions['default'] || undefined;
}

interface Address {
  channel: RouteRequest['channel'];
  provider: Provider;
  /** Base URL of the format. */
  baseUrl: string | undefined;
  name: string;
  version: string | undefined;
  location: ModelLocation | undefined;
}

function filled(path: string, { channel, provider, baseUrl, name, version, location }: Address): string {
  const { other, base_url: own } = channel.record;
  let base = own.trim() === '' ? (baseUrl ?? location?.base ?? channel.base) : channel.base;
  let template = path;
  if (provider.gatewayDrops !== undefined && base.startsWith('https://gateway.ai.cloudflare.com')) {
    template = template.replace(`{base}${provider.gatewayDrops}`, '{base}');
  }
  if (base.includes('{model}')) base = base.replaceAll('{model}', () => encoded(name));
  return template
    .replace(/\{(\w+)\}/g, (whole, placed: string) => location?.values[placed] ?? whole)
    .replace('{base}', () => base)
    .replace('{collection}', () => (namedCollection.test(name) ? '' : 'models/'))
    .replace('{model}', () => encoded(name))
    .replace('{modelValue}', () => encodeURIComponent(name.toWellFormed()))
    .replace('{deploymentValue}', () => encodeURIComponent(deploymentOf(name.toWellFormed(), channel.setting)))
    .replace('{deployment}', () => encoded(deploymentOf(name, channel.setting)))
    .replace('{version}', () => encodeURIComponent(version || other || provider.defaultVersion || ''))
    .replace('{other}', () => encodeURIComponent(other));
}

/** Names that already begin with one of Google's collections. */
const namedCollection = /^(?:models|tunedModels)\//;

/** Escapes a model name for a path; slashes, colons and `@` are part of many names and stay. */
function encoded(model: string): string {
  return encodeURI(model.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23');
}
