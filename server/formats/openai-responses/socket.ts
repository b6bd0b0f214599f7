// Responses over WebSocket: each `response.create` message on a connection requests one.
// https://developers.openai.com/api/docs/guides/websocket-mode
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { SocketDialect, SocketMessage } from '../socket-dialect.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { errorMessage } from './errors.ts';

const socketBeta = /^responses_websockets=/;
const queueName = /^[\w.-]{1,256}$/;
/** Members that a request body does not have: those of messages, and those about framing, which is fixed on a WebSocket. */
const ofMessages = new Set(['type', 'stream_id', 'generate', 'stream', 'stream_options']);
/** Messages of Codex that are not calls, such as acknowledgements. */
const notices = new Set(['response.processed']);

export const socket: SocketDialect = {
  mostMinutes: 60,
  mostTurns: 16,
  mostQueues: 32,
  callHeaders({ 'openai-beta': beta, ...headers }) {
    const others = String(beta ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '' && !socketBeta.test(part));
    return others.length === 0 ? headers : { ...headers, 'openai-beta': others.join(', ') };
  },
  queueOf({ stream_id: queue }) {
    if (queue === undefined || queue === null) return null;
    if (typeof queue !== 'string' || !queueName.test(queue)) throw new AppError('invalid_stream_id', {}, { field: 'stream_id' });
    return queue;
  },
  readMessage,
  bodyOf(message, previous) {
    const body: Record<string, unknown> = { stream: true };
    for (const [name, value] of Object.entries(message)) if (!ofMessages.has(name)) body[name] = value;
    if (previous !== null) delete body['previous_response_id'];
    if (previous !== null && previous.length > 0) body['input'] = [...previous, ...inputOf(message)];
    if (!isWarmUp(message)) return body;
    // A warm-up generates nothing, but is validated like any request, so it needs an input. Only the connection stores it.
    if (previous?.length === 0 && inputOf(message).length === 0) body['input'] = ' ';
    return { ...body, store: false };
  },
  inputOf,
  responseIn(message) {
    const response = parseObject(message)?.response;
    return isObject(response) ? response : null;
  },
  outputOf: ({ id, output }) => ({ id: typeof id === 'string' ? id : '', items: Array.isArray(output) ? output : [] }),
  onQueue(message, queue) {
    const start = message.indexOf('{') + 1;
    return `{"stream_id":${JSON.stringify(queue)},${message.slice(start)}`;
  },
  errorMessage,
};

function readMessage(message: Body): SocketMessage {
  const fields = new StrictFields(message);
  const type = fields.text('type') ?? '';
  if (notices.has(type)) return { kind: 'notice' };
  if (type === 'response.steer') return { kind: 'declined', reply: steerFailed(message) };
  if (type !== 'response.create') throw badField('type', { zh: '必须是 response.create', en: 'must be response.create' });
  if (fields.boolean('background') === true) throw new AppError('responses_not_kept', { field: 'background' }, { field: 'background' });
  fields.boolean('generate');
  fields.fields('prompt_cache_options')?.boolean('prewarm');
  return { kind: 'turn', previousId: fields.text('previous_response_id') ?? null, isWarmUp: isWarmUp(message) };
}

function isWarmUp({ generate, prompt_cache_options: cache }: Body): boolean {
  return generate === false || (isObject(cache) && cache['prewarm'] === true);
}

/**
 * Writes the rejection of input for a running response, which other formats do not support. It returns the input, which the
 * client sends with its next call.
 */
function steerFailed({ input, previous_response_id: id }: Body): Record<string, unknown> {
  const error = {
    type: 'invalid_request_error',
    code: 'steering_not_supported',
    message: 'Responses cannot be steered here: send the input with the next response.create.',
  };
  return { type: 'response.steer.failed', sequence_number: 0, error, steer: { previous_response_id: id ?? null, input: input ?? [] } };
}

/** @throws {AppError} for invalid input */
function inputOf({ input }: Body): readonly unknown[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string') return input === '' ? [] : [{ type: 'message', role: 'user', content: input }];
  if (!Array.isArray(input)) throw badField('input', fieldRules.list);
  return input;
}
