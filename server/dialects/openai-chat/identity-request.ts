// The request of a client that speaks OpenAI's format, to a provider that speaks it too. What nobody named a rule for goes
// on unchanged; when nothing changes at all, the client's own text does.
import { AppError } from '#shared/errors.ts';
import type { CallPlan } from '#server/upstream/call-plan.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import type { Capability } from '#server/upstream/providers/spec.ts';
import { applyQuirks } from './request-quirks.ts';

export interface RequestInput {
  capability: Capability;
  channel: PreparedChannel;
  /** `rawText`, parsed. Never changed. */
  body: Readonly<Record<string, unknown>>;
  rawText: string;
  /** The model that the client asked for. */
  originModel: string;
  isStream: boolean;
  /** Ask for usage on streams also when the client did not. */
  forceUsage: boolean;
  /** Milliseconds. */
  now: number;
  /** `api-version` of the client's query. */
  version?: string;
  /** The client's text goes on as it is: no mapping, no override, nothing added but `outputBound`. */
  isPassThrough?: boolean;
  /** Tokens of each choice that the caller's account pays for: no limit may be larger. */
  outputBound?: number;
  /** Tokens of each choice that were reserved for: no edit raises a limit beyond. */
  choiceLimit?: number;
}

export interface UpstreamRequest {
  origin: string;
  path: string;
  method: 'POST';
  /** Shared between calls: never change it. */
  headers: Readonly<Record<string, string>>;
  body: string;
  isStream: boolean;
  upstreamModel: string;
  isMapped: boolean;
  /** What went upstream, for the log. */
  reasoningEffort: string | undefined;
  /** Tokens of each choice that it limits the response to. */
  sentLimit: number | undefined;
  /** The channel's proxy; null: direct. */
  proxy: string | null;
  /** Usage was asked for at the end of the stream. */
  hasUsageRequest: boolean;
  /** The model thinks for long before its first token. */
  hasLongIdle: boolean;
  /** Names of the client's fields that the provider's format has no place for. */
  dropped: readonly string[];
}

/** @throws {AppError} `format_unsupported` when the provider has no such call. */
export function buildUpstreamRequest(asked: RequestInput): UpstreamRequest {
  const input = asked.outputBound === undefined ? asked : boundInput(asked, asked.outputBound);
  const { channel, body, capability } = input;
  const plan = channel.plan(capability, input.originModel, input.version);
  if (plan === null) throw new AppError('format_unsupported');
  const edited = input.isPassThrough === true ? input.body : editedBody(input, plan);
  const effort = edited.reasoning_effort;
  return {
    origin: plan.origin,
    path: plan.path,
    method: 'POST',
    headers: channel.headers(input.isStream, input.now),
    body: edited === body ? bodyText(input, plan) : JSON.stringify(edited),
    isStream: input.isStream,
    upstreamModel: plan.upstreamModel,
    isMapped: plan.isMapped,
    reasoningEffort: typeof effort === 'string' ? effort : undefined,
    sentLimit: limitOf(edited),
    proxy: channel.setting.proxy,
    hasUsageRequest: input.isStream && (edited === body ? wantsUsage(body) || addsUsage(input) : wantsUsage(edited)),
    hasLongIdle: plan.hasLongIdle,
    dropped: [],
  };
}

/** The client itself asked for a usage chunk at the end of its stream. */
export function wantsUsage(body: Readonly<Record<string, unknown>>): boolean {
  const options = body.stream_options;
  return typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true;
}

/** The body with all edits in it, or the very same object when none is needed beyond what `bodyText` does to the text. */
function editedBody(input: RequestInput, plan: CallPlan): Readonly<Record<string, unknown>> {
  const { body, channel, capability } = input;
  const adapted = applyQuirks(body, { capability, plan, quirks: channel.provider?.quirks });
  const isRemoved = Object.hasOwn(body, 'stream_options') && !sendsStreamOptions(input);
  const needsObject = isRemoved || (addsUsage(input) && Object.hasOwn(body, 'stream_options'));
  const hook = capability === 'embeddings' ? channel.provider?.embeddings : undefined;
  if (adapted === body && !needsObject && channel.paramOverride === null && hook === undefined) return body;

  let edited: Record<string, unknown> = { ...adapted, model: plan.upstreamModel };
  if (isRemoved) delete edited.stream_options;
  else if (addsUsage(input)) edited.stream_options = { ...asObject(body.stream_options), include_usage: true };
  if (hook !== undefined) edited = hook.request(edited);
  if (channel.paramOverride !== null) {
    // Whether it streams is the client's to say: it could not read anything else.
    const { stream: _stream, ...override } = channel.paramOverride;
    Object.assign(edited, override);
    edited = keepLimits(edited, input);
  }
  return edited;
}

export function boundInput<Input extends RequestInput>(input: Input, bound: number): Input {
  const body = boundBody(input.body, bound);
  return { ...input, body, rawText: JSON.stringify(body) };
}

type Limits = Pick<RequestInput, 'outputBound' | 'choiceLimit'>;

/** After edits: what was reserved for is the most that may be asked for. */
export function keepLimits(body: Record<string, unknown>, { outputBound, choiceLimit }: Limits): Record<string, unknown> {
  const bounded = outputBound === undefined ? body : boundBody(body, outputBound);
  return choiceLimit === undefined || limitOf(bounded) === undefined ? bounded : boundBody(bounded, choiceLimit);
}

const limitFields = ['max_tokens', 'max_completion_tokens'];

/** The larger of the limits on each choice. */
export function limitOf(body: Readonly<Record<string, unknown>>): number | undefined {
  const limits = limitFields.map((field) => body[field]).filter((limit) => typeof limit === 'number');
  return limits.length === 0 ? undefined : Math.max(...limits);
}

/** Lowers the limits that are there; where there is none, `max_tokens` is set, which is renamed for models that know it by another name. */
function boundBody(body: Readonly<Record<string, unknown>>, bound: number): Record<string, unknown> {
  const bounded: Record<string, unknown> = { ...body };
  let hasLimit = false;
  for (const field of limitFields) {
    const limit = bounded[field];
    if (typeof limit !== 'number') continue;
    hasLimit = true;
    if (limit > bound || limit <= 0) bounded[field] = bound;
  }
  if (!hasLimit) bounded['max_tokens'] = bound;
  return bounded;
}

function sendsStreamOptions({ isStream, channel }: RequestInput): boolean {
  return isStream && channel.provider?.quirks?.streamOptions !== undefined;
}

function addsUsage(input: RequestInput): boolean {
  if (!input.isStream || !input.forceUsage || input.capability !== 'chat' || input.isPassThrough === true) return false;
  return input.channel.provider?.quirks?.streamOptions === 'ask' && !wantsUsage(input.body);
}

const modelKey = '"model"';
const usageRequest = ',"stream_options":{"include_usage":true}}';

/** The client's text, with another model name and a request for usage spliced in where needed. */
function bodyText(input: RequestInput, plan: CallPlan): string {
  const { rawText, body } = input;
  if (input.isPassThrough === true) return rawText;
  const at = rawText.indexOf(modelKey);
  // A text with two keys `model` means different things to different readers: one for whoever bills, another upstream.
  // Where that could be, what was read here is written anew. Escaped letters may hide a second key.
  const isPlain = at >= 0 && rawText.indexOf(modelKey, at + modelKey.length) < 0 && !rawText.includes('\\u00');
  const end = isPlain && typeof body.model === 'string' ? modelEnd(rawText, at, body.model) : -1;
  if (end < 0) {
    return JSON.stringify({
      ...body,
      model: plan.upstreamModel,
      ...(addsUsage(input) ? { stream_options: { include_usage: true } } : {}),
    });
  }
  let text = rawText;
  if (addsUsage(input)) text = text.slice(0, text.lastIndexOf('}')) + usageRequest;
  if (body.model === plan.upstreamModel) return text;
  return `${text.slice(0, at)}"model":${JSON.stringify(plan.upstreamModel)}${text.slice(end)}`;
}

/** Where the value after the key at `at` ends, when it is written as expected; else -1. */
function modelEnd(text: string, at: number, model: string): number {
  let start = skipBlanks(text, at + modelKey.length);
  if (text[start] !== ':') return -1;
  start = skipBlanks(text, start + 1);
  const value = JSON.stringify(model);
  return text.startsWith(value, start) ? start + value.length : -1;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
