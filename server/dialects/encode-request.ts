// A client's request as the channel's provider wants it: passed on where both speak the same format, else translated.
import { AppError } from '#shared/errors.ts';
import { fitThinking } from '#server/dialects/claude/thinking.ts';
import { adaptThinkingSuffix } from '#server/dialects/claude/thinking-suffix.ts';
import type { ClientDialect } from './client-dialect.ts';
import { upstreamDialects } from './registry.ts';
import type { CallPlan } from '#server/upstream/call-plan.ts';
import { boundInput, buildUpstreamRequest, keepLimits, limitOf } from '#server/dialects/openai-chat/identity-request.ts';
import type { RequestInput, UpstreamRequest } from '#server/dialects/openai-chat/identity-request.ts';
import { applyQuirks } from '#server/dialects/openai-chat/request-quirks.ts';

type Body = Readonly<Record<string, unknown>>;

/** What the options say about requests to Claude. */
export interface ClaudeOptions {
  /** Tokens of a response by model, where the client set no limit; `default` is for the others. */
  defaultMaxTokens: Readonly<Record<string, number>>;
  /** Of `max_tokens`, for names that end in `-thinking`; null: such names are sent as they are. */
  thinkingShare: number | null;
  /** Further headers by model; several values become one header. */
  modelHeaders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface EncodeInput extends RequestInput {
  /** Null for calls that have one format only. */
  client: ClientDialect | null;
  claude: ClaudeOptions;
  /** Headers of the client that are for a provider of the same format. */
  clientHeaders: Readonly<Record<string, string>>;
}

/** @throws {AppError} `format_unsupported`, `untranslatable`, `invalid_request` */
export function encodeRequest(asked: EncodeInput): UpstreamRequest {
  const { client, channel } = asked;
  const dialect = channel.provider?.dialect ?? 'openai-chat';
  if (client === null || (client.name === 'openai-chat' && dialect === 'openai-chat')) return buildUpstreamRequest(asked);
  const input = asked.outputBound === undefined ? asked : boundInput(asked, asked.outputBound);
  const plan = channel.plan(input.capability, input.originModel, input.version);
  if (plan === null) throw new AppError('format_unsupported');
  const { body, dropped } = client.name === dialect ? passOn(input, plan) : translate(input, client, plan);
  const adapted = dialect === 'claude' ? adaptThinkingSuffix(body, input.claude.thinkingShare) : withQuirks(input, body, plan);
  // Passed on as it is, but for what the account pays for.
  const isAsIs = client.name === dialect && input.isPassThrough === true;
  const bounded = isAsIs ? input.body : keepLimits({ ...adapted, ...override(input) }, input);
  // What the client itself wrote, and nothing changed, is between it and the provider.
  const isEdited = bounded.max_tokens !== asked.body.max_tokens || bounded.thinking !== asked.body.thinking;
  const written = dialect === 'claude' && isEdited ? fitThinking(bounded) : bounded;
  return {
    origin: plan.origin,
    path: plan.path,
    method: 'POST',
    headers: headersOf(input, dialect),
    body: isAsIs && written === input.body ? input.rawText : JSON.stringify(written),
    isStream: input.isStream,
    upstreamModel: typeof written.model === 'string' ? written.model : plan.upstreamModel,
    isMapped: plan.isMapped,
    reasoningEffort: effortOf(written),
    sentLimit: limitOf(dialect === 'claude' ? { max_tokens: written.max_tokens } : written),
    proxy: channel.setting.proxy,
    hasUsageRequest: input.isStream,
    hasLongIdle: plan.hasLongIdle,
    dropped,
  };
}

interface Encoded {
  body: Body;
  dropped: readonly string[];
}

function passOn({ body }: EncodeInput, plan: CallPlan): Encoded {
  return { body: { ...body, model: plan.upstreamModel }, dropped: [] };
}

function translate({ channel, body, forceUsage, claude }: EncodeInput, client: ClientDialect, plan: CallPlan): Encoded {
  const request = client.readRequest(body);
  const upstream = upstreamDialects[channel.provider?.dialect ?? 'openai-chat'];
  return upstream.writeRequest(request, {
    upstreamModel: plan.upstreamModel,
    forceUsage: forceUsage && channel.provider?.quirks?.streamOptions !== undefined,
    defaultMaxTokens: (model) => claude.defaultMaxTokens[model] ?? claude.defaultMaxTokens['default'] ?? 8192,
  });
}

function withQuirks({ channel, capability }: EncodeInput, body: Body, plan: CallPlan): Body {
  return applyQuirks(body, { capability, plan, quirks: channel.provider?.quirks });
}

/** Whether it streams is the client's to say: it could not read anything else. */
function override({ channel, capability }: EncodeInput): Body {
  // What is added to a generation is unknown where a prompt is counted.
  if (capability === 'count_tokens') return {};
  const { stream: _stream, ...fields } = channel.paramOverride ?? {};
  return fields;
}

function headersOf({ channel, isStream, now, clientHeaders, claude, originModel }: EncodeInput, dialect: string): Record<string, string> {
  const headers = { ...channel.headers(isStream, now) };
  if (dialect !== 'claude') return headers;
  Object.assign(headers, clientHeaders);
  for (const [name, values] of Object.entries(claude.modelHeaders[originModel] ?? {})) headers[name.toLowerCase()] = values.join(', ');
  return headers;
}

function effortOf({ reasoning_effort: effort, output_config: output }: Body): string | undefined {
  const told = effort ?? (typeof output === 'object' && output !== null && 'effort' in output ? output.effort : undefined);
  return typeof told === 'string' ? told : undefined;
}
