// A channel as the relay uses it: everything that can be derived from its record, derived once per change of the record.
import { hasModelInHost } from '#shared/channel-rules.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { DialectChannel } from '#server/dialects/dialect-channel.ts';
import type { Capability } from '#server/dialects/provider-traits.ts';
import { upstreamDialects } from '#server/dialects/registry.ts';
import { framings } from '#server/framing/registry.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { authorizationOf } from './auth/registry.ts';
import type { Authorization } from './auth/scheme.ts';
import { parseChannelSetting, parseModelMapping, parseParamOverride, parseStatusCodeMapping } from './channel-json.ts';
import type { ChannelSetting } from './channel-json.ts';
import { planCall } from './call-plan.ts';
import type { CallPlan } from './call-plan.ts';
import { providerOf } from './providers/registry.ts';
import type { Provider } from './providers/spec.ts';
import type { SendRequest } from './send.ts';

export interface PreparedChannel extends DialectChannel {
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
  /** Null: no provider of this type is built in. */
  readonly provider: Provider | null;
  /** The secret itself: never in a log or a response. */
  readonly key: string;
  /** Base URL without a trailing slash; may hold `{model}`. */
  readonly base: string;
  readonly setting: ChannelSetting;
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly statusCodeMapping: ReadonlyMap<number, number>;
  /** What it was prepared with. */
  readonly siteUrl: string | undefined;
  /** Why no call can be made through it, for administrators; null when it can. */
  readonly problem: string | null;
  /** What a call of that model looks like. `version`: `api-version` of the client's query. */
  plan(capability: Capability, model: string, version?: string): CallPlan | null;
  /** Headers of a call, before it is authorised. Shared between calls: never changed by who receives them. */
  headers(isStream: boolean): Readonly<Record<string, string>>;
  /** The last step of a call: what its scheme makes of the whole of it. `now` in milliseconds. */
  authorize<Request extends SendRequest>(request: Request, now: number): Request | Promise<Request>;
}

export interface PrepareOptions {
  /** The address of this installation, for providers that want to know who calls. */
  siteUrl?: string;
}

/** Plans per channel and capability that are kept; a channel with more models than this computes some again. */
const PLANS_KEPT = 2000;

export function prepareChannel(record: ChannelRecord, secrets: Pick<Secrets, 'decrypt'>, options: PrepareOptions = {}): PreparedChannel {
  const provider = providerOf(record.type) ?? null;
  const problems: string[] = [];
  const key = readKey(record, secrets, problems);
  const base = readBase(record, provider, problems);
  const modelMapping = parseModelMapping(record.model_mapping);
  const statusCodeMapping = parseStatusCodeMapping(record.status_code_mapping);
  const paramOverride = parseParamOverride(record.param_override);
  const setting = parseChannelSetting(record.setting);
  if (provider === null) problems.unshift(`no provider of type ${record.type}`);
  if (modelMapping === null) problems.push('model_mapping is not valid JSON of names');
  if (paramOverride === null) problems.push('param_override is not a JSON object');
  if (setting === null) problems.push('setting is not valid');

  const authorization = provider === null ? null : authorizationOf(provider.auth, key);
  if (authorization !== null && authorization.problem !== null) problems.push(authorization.problem);
  const { siteUrl } = options;
  const headers =
    provider === null || authorization === null ? noHeaders : createHeaders({ record, provider, authorization, siteUrl, problems });
  const plans = new Map<Capability, Map<string, CallPlan | null>>();
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
    dialect: upstreamDialects[provider?.dialect ?? 'openai-chat'],
    framing: framings[provider?.framing ?? 'sse'],
    key,
    base,
    siteUrl,
    setting: setting ?? { forceFormat: false, thinkingToContent: false, proxy: null, abortsLeft: false },
    modelMapping: modelMapping ?? new Map(),
    // An unreadable status mapping only loses its comfort, so it does not stop the channel.
    statusCodeMapping: statusCodeMapping ?? new Map(),
    paramOverride: paramOverride === null || Object.keys(paramOverride).length === 0 ? null : paramOverride,
    problem: problems.length === 0 ? null : problems.join('; '),
    plan(capability, model, version) {
      if (version !== undefined) return planCall({ channel: this, capability, model, version });
      let kept = plans.get(capability);
      if (kept === undefined) plans.set(capability, (kept = new Map()));
      let plan = kept.get(model);
      if (plan === undefined) {
        if (kept.size >= PLANS_KEPT) kept.clear();
        kept.set(model, (plan = planCall({ channel: this, capability, model })));
      }
      return plan;
    },
    headers,
    authorize: (request, now) => authorization?.sign?.(request, now) ?? request,
  };
}

/** The parts of a comma list, without blanks around them and without repetitions. */
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

function readKey(record: ChannelRecord, secrets: Pick<Secrets, 'decrypt'>, problems: string[]): string {
  try {
    return record.key_cipher === '' ? '' : secrets.decrypt(record.key_cipher).trim();
  } catch {
    problems.push('the key was encrypted with another SESSION_SECRET');
    return '';
  }
}

function readBase(record: ChannelRecord, provider: Provider | null, problems: string[]): string {
  const base = record.base_url.trim().replace(/\/+$/, '') || (provider?.baseUrl ?? '');
  if (provider === null) return base;
  const url = URL.parse(base.replaceAll('{model}', 'm'));
  if (base === '') problems.push('a base URL is needed');
  else if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '') {
    problems.push('the base URL is not a plain http or https address');
  } else if (hasModelInHost(base)) problems.push('the base URL has {model} in its host');
  return base;
}

interface HeaderSource {
  record: ChannelRecord;
  provider: Provider;
  authorization: Authorization;
  siteUrl: string | undefined;
  problems: string[];
}

const noHeaders = () => ({});

function createHeaders({ record, provider, authorization, siteUrl, problems }: HeaderSource): PreparedChannel['headers'] {
  const fixed: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'Tidegate' };
  const fill = (headers: Readonly<Record<string, string>> = {}) => {
    const filled: Record<string, string> = {};
    for (const [name, template] of Object.entries(headers)) {
      const value = template.replace('{other}', record.other).replace('{site}', siteUrl || 'http://localhost:3000');
      if (value !== '') filled[name] = value;
    }
    return filled;
  };
  if (provider.sendsOrganization === true && record.openai_organization !== '') {
    fixed['openai-organization'] = record.openai_organization.trim();
  }
  const whole = { ...fixed, ...authorization.headers, ...fill(provider.headers), accept: 'application/json' };
  const stream = { ...whole, ...fill(provider.streamHeaders), accept: framings[provider.framing].mediaType };
  // Only visible ASCII and blanks may travel in a header; anything else would fail on every call.
  for (const [name, value] of Object.entries(stream)) {
    if (!/^[\x20-\x7e\t]*$/.test(value))
      problems.push(`${name === 'authorization' ? 'the key' : name} holds characters that a header cannot carry`);
  }
  return (isStream) => (isStream ? stream : whole);
}
