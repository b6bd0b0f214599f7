// Replays a finished response as a stream, each output item with its text as one delta.
import { isObject } from '#server/framing/loose-json.ts';
import { type Json, writeEvent } from './present-response.ts';

/** Yields the events of a response; their numbers are the same in every replay. */
export function* eventsOfResponse(response: Json): Generator<Json> {
  let number = 0;
  const event = (type: string, fields: Json): Json => ({ type, sequence_number: number++, ...fields });
  const begun = { ...response, status: 'in_progress', output: [], usage: null, completed_at: null, incomplete_details: null, error: null };
  yield event('response.created', { response: begun });
  yield event('response.in_progress', { response: begun });
  const output = Array.isArray(response['output']) ? response['output'].filter(isObject) : [];
  for (const [output_index, item] of output.entries()) {
    const place = { item_id: item['id'], output_index };
    yield event('response.output_item.added', { output_index, item: begunItem(item) });
    for (const { type, fields } of piecesOf(item)) yield event(type, { ...place, ...fields });
    yield event('response.output_item.done', { output_index, item });
  }
  const status = String(response['status']);
  const isEnd = status === 'completed' || status === 'incomplete' || status === 'failed';
  yield event(`response.${isEnd ? status : 'failed'}`, { response });
}

function begunItem(item: Json): Json {
  const empty: Json = { ...item };
  if ('status' in item) empty['status'] = 'in_progress';
  if (item['type'] === 'message') empty['content'] = [];
  if (item['type'] === 'reasoning') empty['summary'] = [];
  if (typeof item['arguments'] === 'string') empty['arguments'] = '';
  if (item['type'] === 'custom_tool_call') empty['input'] = '';
  return empty;
}

interface Piece {
  type: string;
  fields: Json;
}

function piecesOf(item: Json): Piece[] {
  if (item['type'] === 'message') return partsOf(item['content']).flatMap((part, index) => contentPieces(part, index));
  if (item['type'] === 'reasoning') return partsOf(item['summary']).flatMap((part, index) => summaryPieces(part, index));
  if (item['type'] === 'function_call') return callPieces('function_call_arguments', 'arguments', item['arguments']);
  if (item['type'] === 'custom_tool_call') return callPieces('custom_tool_call_input', 'input', item['input']);
  return [];
}

function contentPieces(part: Json, content_index: number): Piece[] {
  const isText = part['type'] === 'output_text';
  const name = isText ? 'output_text' : 'refusal';
  const text = textOf(part[isText ? 'text' : 'refusal']);
  const logprobs = isText ? { logprobs: Array.isArray(part['logprobs']) ? part['logprobs'] : [] } : {};
  const empty = isText ? { type: name, text: '', annotations: [], logprobs: [] } : { type: name, refusal: '' };
  const annotations: unknown[] = Array.isArray(part['annotations']) ? part['annotations'] : [];
  return [
    { type: 'response.content_part.added', fields: { content_index, part: empty } },
    ...(text === '' ? [] : [{ type: `response.${name}.delta`, fields: { content_index, delta: text, ...logprobs } }]),
    ...annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      fields: { content_index, annotation_index, annotation },
    })),
    { type: `response.${name}.done`, fields: { content_index, [isText ? 'text' : 'refusal']: text, ...logprobs } },
    { type: 'response.content_part.done', fields: { content_index, part } },
  ];
}

function summaryPieces(part: Json, summary_index: number): Piece[] {
  const text = textOf(part['text']);
  return [
    { type: 'response.reasoning_summary_part.added', fields: { summary_index, part: { type: 'summary_text', text: '' } } },
    { type: 'response.reasoning_summary_text.delta', fields: { summary_index, delta: text } },
    { type: 'response.reasoning_summary_text.done', fields: { summary_index, text } },
    { type: 'response.reasoning_summary_part.done', fields: { summary_index, part } },
  ];
}

function callPieces(name: string, field: string, written: unknown): Piece[] {
  const text = textOf(written);
  return [
    { type: `response.${name}.delta`, fields: { delta: text } },
    { type: `response.${name}.done`, fields: { [field]: text } },
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function partsOf(parts: unknown): Json[] {
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

/**
 * Returns the bytes of the stream after an event.
 * @param after number of the event; if undefined, the stream begins at its start
 */
export function streamOf(response: Json, after: number | undefined): Buffer {
  const events = [...eventsOfResponse(response)].filter((event) => after === undefined || Number(event['sequence_number']) > after);
  return Buffer.concat(events.map((event) => writeEvent(event)));
}
