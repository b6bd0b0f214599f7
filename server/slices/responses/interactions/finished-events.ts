// Replays a finished interaction as a stream, each step with its text as one delta.
import { isObject } from '#server/framing/loose-json.ts';
import type { Json } from '#server/slices/responses/present-response.ts';
import { writeInteractionEvent } from './present-interaction.ts';

/** Yields the events of an interaction; their numbers are the same in every replay. */
function* eventsOf(interaction: Json): Generator<Json> {
  let number = 0;
  const event = (type: string, fields: Json): Json => ({ event_type: type, ...fields, event_id: String((number += 1)) });
  const { id, steps, usage: _usage, errors: _errors, ...shell } = interaction;
  const status = 'in_progress';
  yield event('interaction.created', { interaction: { ...shell, id, status } });
  yield event('interaction.status_update', { interaction_id: id, status });
  const list = Array.isArray(steps) ? steps.filter(isObject) : [];
  for (const [index, step] of list.entries()) {
    const { start, deltas } = piecesOf(step);
    yield event('step.start', { index, step: start });
    for (const delta of deltas) yield event('step.delta', { index, delta });
    yield event('step.stop', { index });
  }
  yield event('interaction.completed', { interaction });
}

function piecesOf(step: Json): { start: Json; deltas: Json[] } {
  const { type } = step;
  if (type === 'model_output') return { start: { type }, deltas: objectsIn(step['content']).flatMap(contentDeltas) };
  if (type === 'thought') {
    const summary = objectsIn(step['summary']).map((content) => ({ type: 'thought_summary', content }));
    const { signature } = step;
    return { start: { type }, deltas: [...summary, ...(signature === undefined ? [] : [{ type: 'thought_signature', signature }])] };
  }
  if (type !== 'function_call') return { start: step, deltas: [] };
  return {
    start: { ...step, arguments: {} },
    deltas: [{ type: 'arguments_delta', arguments: JSON.stringify(step['arguments'] ?? {}) }],
  };
}

function contentDeltas({ annotations, ...content }: Json): Json[] {
  return Array.isArray(annotations) ? [content, { type: 'text_annotation_delta', annotations }] : [content];
}

function objectsIn(list: unknown): Json[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/**
 * Returns the bytes of the stream after an event.
 * @param after number of the event; if undefined, the stream begins at its start
 */
export function streamOfFinished(interaction: Json, after: number | undefined): Buffer {
  const events = [...eventsOf(interaction)].filter((event) => after === undefined || Number(event['event_id']) > after);
  return Buffer.concat(events.map(writeInteractionEvent));
}
