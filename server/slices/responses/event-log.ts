// Event log of a background response, written in pieces for readers in any process; `follow-events.ts` reads it.
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { ResponsePartRecord } from '#server/db/records/response-part.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent } from '#server/framing/sse.ts';
import { ownerOf } from './response-store.ts';
import { sealJson } from './sealed-json.ts';
import type { Json } from './present-response.ts';

/** Parses complete server-sent events; comments and events without a JSON object are dropped. */
export function eventsIn(bytes: Buffer): Json[] {
  const events: Json[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = endOfEvent(bytes, from);
    const data = dataIn(bytes, from, end);
    const event = data === null ? null : parseObject(data);
    if (event !== null) events.push(event);
    from = end;
  }
  return events;
}

export function numberOf(event: Json | undefined): number {
  return typeof event?.['sequence_number'] === 'number' ? event['sequence_number'] : -1;
}

interface LoggedEvents {
  responseId: string;
  userId: number;
  expiresAt: number;
  events: readonly Json[];
  isLast: boolean;
}

/** Returns the writes that log events as one piece; none without events. */
export async function eventWrites(context: AppContext, { responseId, userId, expiresAt, events, isLast }: LoggedEvents): Promise<Write[]> {
  if (events.length === 0) return [];
  const number = Math.max(...events.map(numberOf));
  // Bounded by a record's size: the final event repeats the response, so it may take several parts.
  const [content, ...more] = await sealJson(context, ownerOf(userId), JSON.stringify(events));
  const rows = eventRows({ responseId, number, expiresAt, isLast }, [content, ...more]);
  return rows.map((insert) => ({ insert, into: 'response_pieces', ignoreConflict: true }));
}

/** Digits of part numbers in ids, which sort as strings. */
const partDigits = 6;

/** Each part has the total number of parts, so that a reader reserves memory for all before reading. */
export function eventRows(
  { responseId, number, expiresAt, isLast }: Omit<LoggedEvents, 'events' | 'userId'> & { number: number },
  contents: readonly string[],
): ResponsePartRecord[] {
  return contents.map((content, part) => ({
    id: `${responseId}:events:${number}:${String(part).padStart(partDigits, '0')}`,
    response_id: responseId,
    kind: 'events',
    number,
    content,
    expires_at: expiresAt,
    part,
    parts: contents.length,
    ...(isLast && part === contents.length - 1 ? { is_last: true } : {}),
  }));
}

/**
 * Returns the number of the last event logged, or -1. Removes incomplete pieces, and an end whose record was not written,
 * because readers stop at them.
 */
export async function lastNumberOf({ db }: Pick<AppContext, 'db'>, responseId: string): Promise<number> {
  const pieces = db.collection('response_pieces');
  for (let most = -1; ;) {
    const [last] = await pieces.find({ response_id: responseId, kind: 'events' }, { sort: [['number', -1]], limit: 1 });
    if (last === undefined) return most;
    const { number, parts = 1 } = last;
    // The number of a removed piece is not reused: readers may have received it.
    most = Math.max(most, number);
    const piece = { response_id: responseId, kind: 'events', number } as const;
    const isWhole = (await pieces.count(piece)) >= parts;
    if (isWhole && (await pieces.count({ ...piece, is_last: true })) === 0) return most;
    await pieces.remove(piece);
  }
}
