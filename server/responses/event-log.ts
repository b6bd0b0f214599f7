// The events of a response that goes on without its caller, written bit by bit for whoever asks for them, in whichever process.
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { ResponsePieceRecord } from '#server/db/records/response-piece.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent } from '#server/framing/sse.ts';
import { LeanBody } from '#server/relay/stream/lean-body.ts';
import { ownerOf } from './response-store.ts';
import { openJson, sealJson } from './sealed-json.ts';
import { writeEvent } from './told-response.ts';
import type { Json } from './told-response.ts';

/** How often it is looked for further events. */
const lookMs = 150;
const piecesAtOnce = 20;

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
  const row: ResponsePieceRecord = { id: '', response_id: responseId, kind: 'events', number, content, expires_at: expiresAt };
  const rows = [content, ...more].map((each, index) => ({
    ...row,
    id: `${responseId}:events:${number}:${index}`,
    content: each,
    part: index,
    ...(index === more.length ? { parts: more.length + 1, ...(isLast ? { is_last: true } : {}) } : {}),
  }));
  return rows.map((insert) => ({ insert, into: 'response_pieces', ignoreConflict: true }));
}

export interface Followed {
  responseId: string;
  userId: number;
  /** Number of the event behind which it begins. */
  after: number;
  /** An event as its callers read it; missing: as those of Responses do. */
  write?(event: Json): Buffer;
}

/**
 * A stream of the events that are there, and of those to come.
 * @param isThere whether the response still is, asked where nothing comes for a while
 */
export function followEvents(
  context: AppContext,
  followed: Followed,
  { isThere, signal, onEnd }: { isThere: () => Promise<boolean>; signal: AbortSignal; onEnd: () => void },
): LeanBody {
  let isLeft = false;
  let goOn: (() => void) | null = null;
  let isPaused = false;
  const body = new LeanBody({
    pause: () => (isPaused = true),
    resume() {
      isPaused = false;
      goOn?.();
    },
    disconnected() {
      isLeft = true;
      goOn?.();
    },
  });
  const read = async () => {
    let { after } = followed;
    let quietSince = performance.now();
    let parts: string[] = [];
    let seen = 0;
    for (;;) {
      if (isLeft) return;
      if (signal.aborted) return body.cut();
      if (isPaused) await new Promise<void>((resolve) => (goOn = resolve));
      const rows = await context.db.collection('response_pieces').find(
        { response_id: followed.responseId, kind: 'events', number: { gt: after } },
        {
          sort: [
            ['number', 1],
            ['id', 1],
          ],
          limit: piecesAtOnce,
        },
      );
      for (const row of rows) {
        parts.push(row.content);
        if (row.parts === undefined || parts.length < row.parts) continue;
        const events = await openJson(context, ownerOf(followed.userId), parts);
        parts = [];
        for (const event of Array.isArray(events) ? events.filter(isObject) : [])
          if (numberOf(event) > followed.after) body.write(followed.write?.(event) ?? writeEvent(event));
        after = row.number;
        seen += 1;
        if (row.is_last === true) return body.end();
      }
      parts = [];
      const now = performance.now();
      if (rows.length > 0) quietSince = now;
      else if (now - quietSince > context.env.STREAM_KEEPALIVE * 1000) {
        if (!(await isThere())) return body.cut();
        body.write(Buffer.from(': keep-alive\n\n'));
        quietSince = now;
      }
      if (rows.length < piecesAtOnce) await new Promise((resolve) => setTimeout(resolve, lookMs));
      if (seen === 0) body.flushHeaders();
    }
  };
  read()
    .catch((failure: unknown) => {
      context.log.warn({ reason: String(failure) }, 'the events of a response could not be read');
      body.cut();
    })
    .finally(onEnd);
  return body;
}
