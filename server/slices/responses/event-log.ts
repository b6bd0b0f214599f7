// The events of a response that goes on without its caller, written bit by bit for whoever asks for them, in whichever process:
// `follow-events.ts` reads them.
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { ResponsePartRecord } from '#server/db/records/response-part.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent } from '#server/framing/sse.ts';
import { ownerOf } from './response-store.ts';
import { sealJson } from './sealed-json.ts';
import type { Json } from './present-response.ts';

/** Events in these bytes, which hold whole ones; comments are left out. */
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

/** As one piece of the log; none where there are no events. */
export async function eventWrites(context: AppContext, { responseId, userId, expiresAt, events, isLast }: LoggedEvents): Promise<Write[]> {
  if (events.length === 0) return [];
  const number = Math.max(...events.map(numberOf));
  // Not more than a record holds: a response's last event repeats all of it, and stands in a piece of its own.
  const [content, ...more] = await sealJson(context, ownerOf(userId), JSON.stringify(events));
  const rows = eventRows({ responseId, number, expiresAt, isLast }, [content, ...more]);
  return rows.map((insert) => ({ insert, into: 'response_pieces', ignoreConflict: true }));
}

/** Digits of a part in an id: ids are sorted as texts. */
const partDigits = 6;

/** Each says how many there are, so that a reader makes room for all of them before it has read them. */
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
 * Number of the last event that the process of a response has written, -1: none. What it wrote of an end that its record does not have,
 * and what is there in part, is taken back: nobody could read what is written behind it.
 */
export async function lastNumberOf({ db }: Pick<AppContext, 'db'>, responseId: string): Promise<number> {
  const pieces = db.collection('response_pieces');
  for (let most = -1; ;) {
    const [last] = await pieces.find({ response_id: responseId, kind: 'events' }, { sort: [['number', -1]], limit: 1 });
    if (last === undefined) return most;
    const { number, parts = 1 } = last;
    // Readers may have been told of it: its number is not used again.
    most = Math.max(most, number);
    const piece = { response_id: responseId, kind: 'events', number } as const;
    const isWhole = (await pieces.count(piece)) >= parts;
    if (isWhole && (await pieces.count({ ...piece, is_last: true })) === 0) return most;
    await pieces.remove(piece);
  }
}
