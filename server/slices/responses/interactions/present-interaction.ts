// Converts interactions to and from the stored form of a response, so that the stores and event logs of responses serve
// them. Logged events have the number and type that log readers need.
import { serverSentEvents } from '#server/framing/event-encoding.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { ClientBody } from '#server/call/stream/client-stream.ts';
import { eventsIn } from '#server/slices/responses/event-log.ts';
import { type Json, writeEvent } from '#server/slices/responses/present-response.ts';

/** Converts an interaction to the form that `ResponseStore` stores. */
export function asResponse({ steps, ...shell }: Json): Json {
  const status = shell['status'] === 'requires_action' ? 'completed' : shell['status'];
  return { id: shell['id'], status, output: steps, interaction: shell };
}

/** Presents a stored interaction; a cancelled or failed one has that status. */
export function asInteraction({ id, status, output, error, interaction }: Json): Json {
  const shell = isObject(interaction) ? interaction : {};
  const steps = Array.isArray(output) ? output : [];
  const isEnded = status === 'completed' || status === 'incomplete';
  const errors = isObject(error) ? { errors: [{ code: error.code, message: error.message }] } : {};
  const reported = isEnded ? shell['status'] : status === 'queued' ? 'in_progress' : status;
  return { ...shell, id, status: reported, steps, ...errors };
}

/** Serializes an event for the client. */
export function writeInteractionEvent(event: Json): Buffer {
  return Buffer.from(serverSentEvents.event(String(event['event_type']), JSON.stringify(event)));
}

/** Returns the interaction in the last of the events, and the bytes before that event; null if it has none. */
export function lastInteraction(events: Buffer): { before: Buffer; event: Json; interaction: Json } | null {
  let from = 0;
  for (let end = serverSentEvents.endOfEvent(events, from); end < events.length; end = serverSentEvents.endOfEvent(events, end)) from = end;
  const data = serverSentEvents.dataIn(events.subarray(from));
  const event = data === null ? null : parseObject(data);
  if (event?.event_type !== 'interaction.completed' || !isObject(event.interaction)) return null;
  return { before: events.subarray(0, from), event, interaction: event.interaction };
}

/** Converts an event to its logged form. */
function logged(event: Json): Json {
  const { event_type: type, event_id: id, interaction, error } = event;
  const sequence_number = Number(id);
  if (type === 'error') return { type, sequence_number, message: isObject(error) ? error.message : undefined };
  if (type !== 'interaction.completed' || !isObject(interaction)) return { type, sequence_number, event };
  const response = asResponse(interaction);
  return { type: `response.${response['status'] === 'completed' ? 'completed' : 'incomplete'}`, sequence_number, response };
}

/** Serializes a logged event for the client. The last event contains the final interaction. */
export function writeLogged({ event, response, sequence_number: number }: Json): Buffer {
  if (isObject(event)) return writeInteractionEvent(event);
  const interaction = asInteraction(isObject(response) ? response : {});
  return writeInteractionEvent({ event_type: 'interaction.completed', interaction, event_id: String(number) });
}

/** Returns a client body that writes an interaction's stream into the log. */
export function loggedBody(log: ClientBody): ClientBody {
  const inLog = (chunk: Buffer) => eventsIn(chunk).map((event) => writeEvent(logged(event)));
  return {
    write(chunk) {
      for (const event of inLog(chunk)) log.write(event);
    },
    async store(ending) {
      await log.store?.(Buffer.concat(inLog(ending)));
    },
    flushHeaders: () => log.flushHeaders(),
    end: () => log.end(),
    cut: () => log.cut(),
  };
}
