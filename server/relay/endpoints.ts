// What clients can ask of the relay: path, capability, and what must be right in a body before anything is spent on it.
import { AppError } from '#shared/errors.ts';
import type { LocalText } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import type { Capability } from '#server/upstream/providers/spec.ts';

export type RelayBody = Record<string, unknown>;

export interface RelayEndpoint {
  path: string;
  capability: Capability;
  /** @throws {AppError} 400 with the field at fault. */
  check(body: RelayBody): void;
  canStream: boolean;
}

/** The most tokens that a client may ask for in any field. */
export const tokenLimit = 1_073_741_823;
const modelNameLimit = 256;

const rules = {
  noControls: { zh: '不能包含控制字符', en: 'must not contain control characters' },
  textOrParts: { zh: '必须是文本或内容片段的数组', en: 'must be a text or a list of parts' },
  textOrList: { zh: '必须是文本或数组', en: 'must be a text or a list' },
  between: (min: number, max: number) => ({ zh: `必须是 ${min} 到 ${max} 之间的整数`, en: `must be a whole number from ${min} to ${max}` }),
} as const;

export const relayEndpoints: readonly RelayEndpoint[] = [
  { path: '/v1/chat/completions', capability: 'chat', check: checkChat, canStream: true },
  { path: '/v1/embeddings', capability: 'embeddings', check: checkEmbeddings, canStream: false },
];

/** The model that a body names. @throws {AppError} */
export function modelOf(body: RelayBody): string {
  const { model } = body;
  if (model === undefined || model === null || model === '') throw new AppError('model_required', {}, { field: 'model' });
  if (typeof model !== 'string') throw bad('model', fieldRules.text);
  if (model.length > modelNameLimit) throw bad('model', fieldRules.longest(modelNameLimit));
  // Names go into paths and headers of some upstreams.
  if (/\p{Cc}/u.test(model)) throw bad('model', rules.noControls);
  return model;
}

/** The larger of the two limits on generated tokens; 0 when the client set none. */
export function maxTokensOf(body: RelayBody): number {
  return Math.max(numberOr(body['max_tokens'], 0), numberOr(body['max_completion_tokens'], 0));
}

/** How many answers were asked for; each may use all the tokens. */
export function choiceCountOf(body: RelayBody): number {
  return Math.max(1, numberOr(body['n'], 1));
}

function checkChat(body: RelayBody): void {
  const { messages } = body;
  if (messages === undefined || messages === null) throw new AppError('messages_required', {}, { field: 'messages' });
  if (!Array.isArray(messages)) throw bad('messages', fieldRules.list);
  if (messages.length === 0) throw new AppError('messages_required', {}, { field: 'messages' });
  messages.forEach((message: unknown, index) => {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) throw bad(`messages.${index}`, fieldRules.object);
    if (!('role' in message) || typeof message.role !== 'string') throw bad(`messages.${index}.role`, fieldRules.text);
    const content: unknown = 'content' in message ? message.content : null;
    if (content !== null && content !== undefined && typeof content !== 'string' && !Array.isArray(content)) {
      throw bad(`messages.${index}.content`, rules.textOrParts);
    }
  });
  checkInteger(body, 'max_tokens', 0, tokenLimit);
  checkInteger(body, 'max_completion_tokens', 0, tokenLimit);
  checkInteger(body, 'n', 1, 128);
  for (const field of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty']) checkNumber(body, field);
  const { stream } = body;
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') throw bad('stream', fieldRules.boolean);
  const options = body['stream_options'];
  if (options !== undefined && options !== null && (typeof options !== 'object' || Array.isArray(options)))
    throw bad('stream_options', fieldRules.object);
}

function checkEmbeddings(body: RelayBody): void {
  const { input } = body;
  if (input === undefined || input === null || input === '' || (Array.isArray(input) && input.length === 0)) {
    throw new AppError('input_required', {}, { field: 'input' });
  }
  if (typeof input !== 'string' && !Array.isArray(input)) throw bad('input', rules.textOrList);
  checkInteger(body, 'dimensions', 1, 1_000_000);
  const format = body['encoding_format'];
  if (format !== undefined && format !== null && format !== 'float' && format !== 'base64')
    throw bad('encoding_format', fieldRules.oneOf(['float', 'base64']));
}

function checkInteger(body: RelayBody, field: string, min: number, max: number): void {
  const value = body[field];
  if (value === undefined || value === null) return;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw bad(field, rules.between(min, max));
  }
}

function checkNumber(body: RelayBody, field: string): void {
  const value = body[field];
  if (value !== undefined && value !== null && (typeof value !== 'number' || !Number.isFinite(value))) throw bad(field, fieldRules.number);
}

/** `field` is the name on the wire: callers of the API know no other. */
function bad(field: string, rule: LocalText): AppError {
  return new AppError('invalid_request', { detail: { zh: `${field} ${rule.zh}`, en: `${field} ${rule.en}` } }, { field });
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
