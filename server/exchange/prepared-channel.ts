// A channel with everything derived from its record, computed once per change of the record.
import type { FailureReason } from '#shared/failure-reasons.ts';
import { hasModelInHost } from '#shared/channel-rules.ts';
import { filledHeaders } from '#shared/header-override.ts';
import type { ParamOperation } from '#shared/param-operations.ts';
import type { CallKindName } from '#server/kinds/call-kind.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import type { ProviderTraits } from '#server/formats/provider-traits.ts';
import { type UpstreamDialectName, upstreamDialects } from '#server/formats/registry.ts';
import type { UpstreamDialect } from '#server/formats/upstream-dialect.ts';
import type { Framing } from '#server/framing/framing.ts';
import { framings } from '#server/framing/registry.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import type { Settings } from '#server/settings/settings.ts';
import { withoutTrailing } from '#shared/trailing.ts';
import { noteProblem, together } from './channel-problems.ts';
import { type Auth, authorizationOf } from './auth/registry.ts';
import type { Signing } from './auth/scheme.ts';
import {
  type ChannelSetting,
  noSetting,
  parseChannelSetting,
  parseModelMapping,
  parseParamOverride,
  parseStatusCodeMapping,
} from './channel-json.ts';
import { type ChannelRoute, findRoute, type RouteRequest } from './find-route.ts';
import { providerOf } from '#server/providers/registry.ts';
import type { Provider, ProviderFormat } from '#server/providers/spec.ts';
import type { ChannelKeys } from './keys/channel-keys.ts';
import { createRefusedFields, type RefusedFields } from './refused-fields.ts';
import type { SendRequest } from './send.ts';

/** One format of a channel's provider, ready to use with the channel's key. */
export interface PreparedFormat {
  readonly dialect: UpstreamDialect;
  readonly framing: Framing;
  readonly traits: ProviderTraits;
  readonly paths: ProviderFormat['paths'];
  readonly models: ProviderFormat['models'];
  readonly isForItsCallers: boolean;
  readonly isBestFor: ProviderFormat['isBestFor'];
  readonly isSoleFor: ProviderFormat['isSoleFor'];
  readonly baseUrl: ProviderFormat['baseUrl'];
  /** Headers of a call before authorization. Shared between calls; must not be modified. */
  headers(isStream: boolean): Readonly<Record<string, string>>;
  /**
   * Authorizes a request, as the last step.
   * @throws {SigningFailure}
   */
  authorize<Request extends SendRequest>(request: Request, signing: Signing): Request | Promise<Request>;
}

export interface PreparedChannel {
  readonly record: ChannelRecord;
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly status: number;
  readonly priority: number;
  readonly weight: number;
  readonly tag: string;
  readonly isAutoBan: boolean;
  readonly groups: readonly string[];
  readonly models: readonly string[];
  /** Null if no provider of this type is built in. */
  readonly provider: Provider | null;
  /** Formats in the order of the provider's record. */
  readonly formats: readonly PreparedFormat[];
  /** Secret; must never appear in a log or a response. */
  readonly key: string;
  /** Id of the record of this key; 0 if it is the channel's only one, or the channel has several and none was chosen. */
  readonly keyId: number;
  /** Keys to choose from for each call; `key` is then the first of them. Undefined if the key is certain. */
  readonly keys: ChannelKeys | undefined;
  /** Base URL without a trailing slash; may contain `{model}`. */
  readonly base: string;
  readonly setting: ChannelSetting;
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly statusCodeMapping: ReadonlyMap<number, number>;
  /** Fields that override the request's; null if there are none. */
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
  /** Edits of the provider's request by path. Undefined for none; then `paramOverride` may be null. */
  readonly paramOperations: readonly ParamOperation[] | undefined;
  /** `siteUrl` of the preparation. */
  readonly siteUrl: string | undefined;
  /** Headers set by the operator, by lower-case name; they replace any other. */
  readonly providerHeaders: Readonly<Record<string, string>>;
  /** Optional fields that the provider rejected. */
  readonly refusedFields: RefusedFields;
  /** Reason why the channel is unusable, for administrators; null if it is usable. */
  readonly problem: FailureReason | null;
  /** Returns the route of a model's calls; null if there is none. */
  route(client: ClientDialect, kind: CallKindName, model: string, address?: RouteAddress): ChannelRoute | null;
  /** Headers of account requests, which have no format; authorized like calls. */
  readonly headers: Readonly<Record<string, string>>;
  authorize<Request extends SendRequest>(request: Request, signing: Signing): Request | Promise<Request>;
}

/** Inputs of a route besides the channel and the settings. */
export interface RouteAddress {
  /** `api-version` of the client's query. */
  version?: string | undefined;
  /** The request searches vector stores. */
  searchesStores?: boolean | undefined;
}

export interface PrepareOptions {
  /** URL of this installation, for providers that identify the calling application. */
  siteUrl?: string;
  /** Settings that some providers' routes depend on. If undefined, none do. */
  settings?: Pick<Settings, 'get' | 'revision'>;
  /** Id of the key's record, for one of several keys of a channel. */
  keyId?: number;
  /** Keys of a channel with several. */
  keys?: ChannelKeys | undefined;
  /** Fields that the provider rejected, shared by the keys of a channel. */
  refusedFields?: RefusedFields;
}

/** Maximum cached routes per channel, client format and kind; beyond it, routes are computed again. */
const mostRoutes = 2000;

export function prepareChannel(record: ChannelRecord, secrets: Pick<Secrets, 'decrypt'>, options: PrepareOptions = {}): PreparedChannel {
  const provider = providerOf(record.type) ?? null;
  const problems: FailureReason[] = [];
  const key = readKey(record, secrets, problems);
  const base = readBase(record, provider, problems);
  const modelMapping = parseModelMapping(record.model_mapping);
  const statusCodeMapping = parseStatusCodeMapping(record.status_code_mapping);
  const paramOverride = parseParamOverride(record.param_override);
  const setting = parseChannelSetting(record.setting);
  const changesBodies = paramOverride?.operations !== undefined || setting?.systemPrompt !== undefined;
  if (options.keys?.enabled.length === 0) problems.push({ code: 'channel_without_keys' });
  if (provider === null) problems.unshift({ code: 'channel_type_unknown', facts: { type: record.type } });
  if (modelMapping === null) problems.push({ code: 'channel_mapping_invalid' });
  if (paramOverride === null) problems.push({ code: 'channel_override_invalid' });
  if (setting === null) problems.push({ code: 'channel_setting_invalid' });

  const providerHeaders = filledHeaders(setting?.headers ?? {}, key);
  const source: FormatSource | null =
    provider === null
      ? null
      : { record, provider, key, base, siteUrl: options.siteUrl, providerHeaders, problems, configuredFormats: setting?.formats ?? [] };
  const authorized = source === null ? null : authorizeWith(source, source.provider.auth);
  const formats = source === null ? [] : prepareFormats(source);
  const routes = new Map<string, Map<string, ChannelRoute | null>>();
  const readSettings = settingsReader(provider, options.settings);
  let bySettings = readSettings?.();
  return {
    record,
    id: record.id,
    name: record.name,
    type: record.type,
    status: record.status,
    priority: record.priority,
    weight: record.weight,
    tag: record.tag,
    isAutoBan: record.auto_ban === 1,
    groups: commaList(record.group),
    models: commaList(record.models),
    provider,
    formats,
    key,
    keyId: options.keyId ?? 0,
    keys: options.keys,
    base,
    siteUrl: options.siteUrl,
    providerHeaders,
    setting: setting ?? noSetting,
    modelMapping: modelMapping ?? new Map(),
    // An invalid status mapping is ignored; the channel stays usable.
    statusCodeMapping: statusCodeMapping ?? new Map(),
    // With edits that only the final request shows, a request is never forwarded as text.
    paramOverride:
      paramOverride === null || (!changesBodies && Object.keys(paramOverride.fields).length === 0) ? null : paramOverride.fields,
    paramOperations: paramOverride?.operations,
    refusedFields: options.refusedFields ?? createRefusedFields(),
    problem: together(problems),
    route(client, kind, model, address = {}) {
      const current = readSettings?.();
      if (current !== bySettings) {
        bySettings = current;
        routes.clear();
      }
      const { version, searchesStores } = address;
      const requested = { channel: this, client, kind, model, version, searchesStores, ...bySettings };
      if (version !== undefined || searchesStores === true) return findRoute(requested);
      const asker = `${client.name} ${kind}`;
      let stored = routes.get(asker);
      if (stored === undefined) routes.set(asker, (stored = new Map()));
      let route = stored.get(model);
      if (route === undefined) {
        if (stored.size >= mostRoutes) stored.clear();
        stored.set(model, (route = findRoute(requested)));
      }
      return route;
    },
    headers: authorized?.headers ?? {},
    authorize: (request, signing) => authorized?.authorize(request, signing) ?? request,
  };
}

type RouteSettings = Pick<RouteRequest, 'versions' | 'readsThinkingEndings'>;

/** Returns the same object until a setting changes. Undefined if the provider's routes depend on no setting. */
function settingsReader(provider: Provider | null, settings: PrepareOptions['settings']): (() => RouteSettings) | undefined {
  const { versionSetting, endingsSetting } = provider ?? {};
  if (settings === undefined || (versionSetting === undefined && endingsSetting === undefined)) return undefined;
  let revision = -1;
  let read: RouteSettings = {};
  return () => {
    if (settings.revision !== revision) {
      revision = settings.revision;
      read = {
        versions: versionSetting === undefined ? undefined : settings.get(versionSetting),
        readsThinkingEndings: endingsSetting === undefined ? undefined : settings.get(endingsSetting),
      };
    }
    return read;
  };
}

/** Splits a comma-separated list, trimmed and without duplicates. */
function commaList(text: string): string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ),
  ];
}

function readKey(record: ChannelRecord, secrets: Pick<Secrets, 'decrypt'>, problems: FailureReason[]): string {
  try {
    return record.key_cipher === '' ? '' : secrets.decrypt(record.key_cipher, 'channel_key').trim();
  } catch {
    problems.push({ code: 'channel_key_unreadable' });
    return '';
  }
}

function readBase(record: ChannelRecord, provider: Provider | null, problems: FailureReason[]): string {
  const base = withoutTrailing(record.base_url.trim(), '/') || (provider?.baseUrl ?? '');
  if (provider === null) return base;
  const url = URL.parse(base.replaceAll('{model}', 'm'));
  if (base === '') problems.push({ code: 'channel_address_missing' });
  else if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '') {
    problems.push({ code: 'channel_address_invalid' });
  } else if (hasModelInHost(base)) problems.push({ code: 'channel_address_of_model' });
  return base;
}

interface FormatSource {
  record: ChannelRecord;
  provider: Provider;
  key: string;
  base: string;
  siteUrl: string | undefined;
  providerHeaders: Readonly<Record<string, string>>;
  problems: FailureReason[];
  /** Formats configured for the channel; if empty, those known of the provider. */
  configuredFormats: readonly string[];
}

function prepareFormats(source: FormatSource): PreparedFormat[] {
  const { provider, base, configuredFormats, problems } = source;
  const names = Object.keys(provider.formats).filter((name): name is UpstreamDialectName => name in upstreamDialects);
  const prepared = names.flatMap((name) => {
    const format = provider.formats[name];
    if (format === undefined) return [];
    const isAway = format.use === 'at_home' && base !== provider.baseUrl;
    const isUsed = configuredFormats.length === 0 ? !isAway && format.use !== 'by_choice' : configuredFormats.includes(name);
    return isUsed ? [prepareFormat(source, upstreamDialects[name], format)] : [];
  });
  if (configuredFormats.length > 0 && prepared.length === 0) noteProblem(problems, { code: 'channel_formats_unknown' });
  return prepared;
}

function prepareFormat(source: FormatSource, dialect: UpstreamDialect, format: ProviderFormat): PreparedFormat {
  const { provider } = source;
  const { framing = 'sse', paths, models, headers, auth, isBestFor, isSoleFor, use, baseUrl, thoughts, ...traits } = format;
  const authorized = authorizeWith(source, auth ?? provider.auth);
  const plain = { ...authorized.headers, ...filled(source, headers), accept: 'application/json' };
  const whole = { ...plain, ...source.providerHeaders };
  const stream = { ...plain, accept: framings[framing].mediaType, ...filled(source, provider.streamHeaders), ...source.providerHeaders };
  noteUnsendable(stream, source.problems);
  const isAtHome = source.base === provider.baseUrl;
  return {
    dialect,
    framing: framings[framing],
    traits: {
      name: provider.name,
      ...traits,
      ...(thoughts === undefined || (thoughts.isAwayOnly === true && isAtHome) ? {} : { thoughts }),
      takesCacheKey: traits.takesCacheKey === true && isAtHome,
      takesAllowedTools: traits.takesAllowedTools === true && isAtHome,
      takesSealedThoughts: traits.takesSealedThoughts === true && (isAtHome || provider.baseUrl === null),
    },
    paths,
    models,
    isForItsCallers: use === 'its_callers',
    isBestFor,
    isSoleFor,
    baseUrl,
    headers: (isStream) => (isStream ? stream : whole),
    authorize: authorized.authorize,
  };
}

/** Authorization of every request of the channel. */
function authorizeWith(source: FormatSource, auth: Auth): Pick<PreparedChannel, 'headers' | 'authorize'> {
  const { provider, key, base, problems } = source;
  const authorization = authorizationOf(auth, key, base);
  noteProblem(problems, authorization.problem);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Tidegate',
    ...authorization.headers,
    ...filled(source, provider.headers),
    accept: 'application/json',
    ...source.providerHeaders,
  };
  noteUnsendable(headers, problems);
  return { headers, authorize: (request, signing) => authorization.sign?.(request, signing) ?? request };
}

/** Fills header templates; drops empty values. */
function filled({ record, siteUrl }: FormatSource, headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, template] of Object.entries(headers)) {
    const value = template
      .replace('{other}', () => record.other)
      .replace('{organization}', () => record.openai_organization.trim())
      .replace('{site}', () => siteUrl || 'http://localhost:3000');
    if (value !== '') values[name] = value;
  }
  return values;
}

/** Reports values outside visible ASCII, blank and tab, which would fail on every call. */
function noteUnsendable(headers: Readonly<Record<string, string>>, problems: FailureReason[]): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\x20-\x7e\t]*$/.test(value)) continue;
    noteProblem(
      problems,
      name === 'authorization' ? { code: 'channel_key_letters' } : { code: 'channel_header_letters', facts: { header: name } },
    );
  }
}
