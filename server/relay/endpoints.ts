// What clients can ask of the relay: path, capability, and what must be right in a body before anything is spent on it.
import { AppError } from '#shared/errors.ts';
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

export const relayEndpoints: readonly RelayEndpoint[] = [
  { path: '/v1/chat/completions', capability: 'chat', check: checkChat, canStream: true },
  { path: '/v1/embeddings', capability: 'embeddings', check: checkEmbeddings, canStream: false },
];

/** The model that a body names. @throws {AppError} */
export function modelOf(body: RelayBody): string {
  const { model } = body;
  if (model === undefined || model === null || model === '') throw new AppError('model_required', {}, { field: 'model' });
  if (typeof model !== 'string') throw bad('model', 'must be a string');
  if (model.length > modelNameLimit) throw bad('model', `must have at most ${modelNameLimit} characters`);
  // Names go into paths and headers of some upstreams.
  if (/\p{Cc}/u.test(model)) throw bad('model', 'must not contain control characters');
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
  if (!Array.isArray(messages)) throw bad('messages', 'must be a list');
  if (messages.length === 0) throw new AppError('messages_required', {}, { field: 'messages' });
  messages.forEach((message: unknown, index) => {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) throw bad(`messages.${index}`, 'must be an object');
    if (!('role' in message) || typeof message.role !== 'string') throw bad(`messages.${index}.role`, 'must be a string');
    const content: unknown = 'content' in message ? message.content : null;
    if (content !== null && content !== undefined && typeof content !== 'string' && !Array.isArray(content)) {
      throw bad(`messages.${index}.content`, 'must be a string or a list of parts');
    }
  });
  checkInteger(body, 'max_tokens', 0, tokenLimit);
  checkInteger(body, 'max_completion_tokens', 0, tokenLimit);
  checkInteger(body, 'n', 1, 128);
  for (const field of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty']) checkNumber(body, field);
  const { stream } = body;
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') throw bad('stream', 'must be true or false');
  const options = body['stream_options'];
  if (options !== undefined && options !== null && (typeof options !== 'object' || Array.isArray(options)))
    throw bad('stream_options', 'must be an object');
}

function checkEmbeddings(body: RelayBody): void {
  const { input } = body;
  if (input === undefined || input === null || input === '' || (Array.isArray(input) && input.length === 0)) {
    throw new AppError('input_required', {}, { field: 'input' });
  }
  if (typeof input !== 'string' && !Array.isArray(input)) throw bad('input', 'must be a string or a list');
  checkInteger(body, 'dimensions', 1, 1_000_000);
  const format = body['encoding_format'];
  if (format !== undefined && format !== null && format !== 'float' && format !== 'base64')
    throw bad('encoding_format', 'must be float or base64');
}

function checkInteger(body: RelayBody, field: string, min: number, max: number): void {
  const value = body[field];
  if (value === undefined || value === null) return;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw bad(field, `must be a whole number from ${min} to ${max}`);
  }
}

function checkNumber(body: RelayBody, field: string): void {
  const value = body[field];
  if (value !== undefined && value !== null && (typeof value !== 'number' || !Number.isFinite(value))) throw bad(field, 'must be a number');
}

function bad(field: string, rule: string): AppError {
  return new AppError('invalid_request', { detail: `${field} ${rule}` }, { field });
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
