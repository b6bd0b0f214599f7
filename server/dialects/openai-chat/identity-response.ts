// What an answer in OpenAI's format needs before a client may have it: mostly nothing.
import type { ErrorInResponse } from '../stream-pipe.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import type { Capability } from '#server/upstream/providers/spec.ts';
import { failureInBody, statusInBody } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';
import { fixEmbeddings, needsEmbeddingsFix } from './embeddings.ts';
import { restrictToFormat } from './force-format.ts';
import { thinkingInMessage } from './thinking-to-content.ts';
import { readTokenUsage } from './token-usage.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';

/**
 * An error in an answer of status 200, or in the data of one stream event; null when there is none. Costs a search of the
 * text: quotes within JSON strings are escaped, so the marker can only be a key or a whole value.
 */
export function errorInAnswer(text: string, channel: PreparedChannel): UpstreamFailure | null {
  const found = errorIn(text, channel);
  return found === null ? null : failureInBody(found, channel);
}

/** The same, as the provider told it. */
export function errorIn(text: string, channel: Pick<PreparedChannel, 'provider'>): ErrorInResponse | null {
  const marker = channel.provider?.errors?.marker;
  if (!text.includes('"error"') && !text.includes('"success"') && (marker === undefined || !text.includes(marker))) return null;
  const body = parseObject(text);
  if (body === null) return null;
  return errorObject(body) ?? codedError(body, channel);
}

export interface AnswerInput {
  capability: Capability;
  channel: PreparedChannel;
  /** As the client sent it. */
  requestBody: Readonly<Record<string, unknown>>;
  upstreamModel: string;
  /** The upstream's body. */
  text: string;
}

/** The body for the client: the very same text when nothing has to change. */
export function fixAnswer(input: AnswerInput): string {
  const { channel, capability } = input;
  const answers = channel.provider?.answers;
  if (capability === 'embeddings') {
    const hook = channel.provider?.embeddings;
    if (hook === undefined && answers?.ownModel !== true && !needsEmbeddingsFix(input.text, input.requestBody)) return input.text;
    const body = parseObject(input.text);
    if (body === null) return input.text;
    const answer = hook?.answer(body, input.upstreamModel) ?? body;
    if (answers?.ownModel === true) answer.model = input.upstreamModel;
    return JSON.stringify(fixEmbeddings(answer, input.requestBody));
  }
  const { thinkingToContent, forceFormat } = channel.setting;
  if (answers === undefined && !thinkingToContent && !forceFormat) return input.text;
  const body = parseObject(input.text);
  if (body === null) return input.text;
  if (answers?.ownModel === true) body.model = input.upstreamModel;
  if (answers?.completionFromTotal === true) fixCompletionCount(body, channel);
  if (thinkingToContent) thinkingInMessage(body);
  return JSON.stringify(forceFormat ? restrictToFormat(body) : body);
}

/** Writes the reasoning tokens that the provider leaves out into `usage`, of a body or a stream event. */
export function fixCompletionCount(body: Record<string, unknown>, channel: Pick<PreparedChannel, 'provider'>): void {
  const usage = readTokenUsage(body.usage, channel.provider?.answers);
  if (usage === null || !isObject(body.usage)) return;
  body.usage.completion_tokens = usage.output;
  const details = body.usage.completion_tokens_details;
  if (isObject(details)) details.text_tokens = usage.output - usage.reasoning;
}

/** `{"error": …}` in the place of an answer. */
function errorObject(body: Record<string, unknown>): ErrorInResponse | null {
  const { error } = body;
  if (isObject(error) && (isFilled(error.message) || isFilled(error.type))) {
    const { code } = error;
    return {
      status: statusInBody(error),
      message: isFilled(error.message) ? error.message : String(error.type),
      type: isFilled(error.type) ? error.type : 'upstream_error',
      param: isFilled(error.param) ? error.param : '',
      code: typeof code === 'string' || typeof code === 'number' ? code : null,
    };
  }
  const first = body.success === false && Array.isArray(body.errors) && isObject(body.errors[0]) ? body.errors[0].message : undefined;
  const message = isFilled(error) ? error : body.success === false ? (first ?? body.message) : undefined;
  if (!isFilled(message) || Array.isArray(body.choices)) return null;
  return { status: 502, message, type: 'upstream_error', param: '', code: null };
}

/** A provider's own way to say so, such as MiniMax' `base_resp`. */
function codedError(body: Record<string, unknown>, channel: Pick<PreparedChannel, 'provider'>): ErrorInResponse | null {
  const { provider } = channel;
  const rule = provider?.errors;
  if (provider === null || rule === undefined) return null;
  const code = at(body, rule.code);
  if ((typeof code !== 'number' && typeof code !== 'string') || code === rule.ok) return null;
  const message = at(body, rule.message);
  const status = Object.hasOwn(rule.statuses, String(code)) ? (rule.statuses[String(code)] ?? 500) : 500;
  return {
    status,
    message: isFilled(message) ? message : `error ${code}`,
    type: `${provider.name.toLowerCase()}_error`,
    param: '',
    code,
  };
}

function at(body: unknown, path: string): unknown {
  let value = body;
  for (const part of path.split('.')) value = isObject(value) ? value[part] : undefined;
  return value;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
