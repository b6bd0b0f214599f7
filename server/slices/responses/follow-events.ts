// Somebody reads the log of a response that goes on, as far as it is written and as it grows. What is read of it, and what its
// reader has not taken yet, counts as bodies of its owner: where there is no room, it is waited for.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { ResponsePartRecord } from '#server/db/records/response-part.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { LeanBody } from '#server/call/stream/lean-body.ts';
import type { BodySource } from '#server/call/stream/lean-body.ts';
import { numberOf } from './event-log.ts';
import { ownerOf } from './response-store.ts';
import { openJson } from './sealed-json.ts';
import { writeEvent } from './present-response.ts';
import type { Json } from './present-response.ts';

/** How often it is looked for further events. */
const lookMs = 150;
/** What is there in part is seldom whole soon. */
const brokenMs = 2_000;
/** Where something was found, more is looked for. */
const piecesAtOnce = 8;

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
 * @param onEnd nothing more is read; what was read may still be on its way
 */
export function followEvents(
  context: AppContext,
  followed: Followed,
  { isThere, signal, onEnd }: { isThere: () => Promise<boolean>; signal: AbortSignal; onEnd: () => void },
): LeanBody {
  const room = new Room(context, followed.userId);
  const reader = new Reader(room);
  const body = new LeanBody(reader);
  const read = async () => {
    let { after } = followed;
    let quietSince = performance.now();
    let parts = new Parts();
    let limit = 1;
    for (;;) {
      await reader.taken();
      if (reader.isLeft) return;
      if (signal.aborted) return body.cut();
      if (parts.count === 0) room.shrinkTo(0);
      const hasRoom = room.fits();
      let rows = hasRoom ? await find(context, followed.responseId, { after, skip: parts.count, limit }) : [];
      if (hasRoom) room.need(parts.bytes + bytesOf(rows));
      if (!room.fits()) {
        // Somebody else who waits may have what is given back; nobody keeps a half and waits for the other one.
        rows = [];
        parts = new Parts();
        room.shrinkTo(0);
      }
      let isReported = false;
      for (const row of rows) {
        const whole = parts.add(row);
        if (whole === null) continue;
        parts = new Parts();
        const events = await openJson(context, ownerOf(followed.userId), whole.contents);
        await reader.taken();
        if (reader.isLeft) return;
        for (const event of Array.isArray(events) ? events.filter(isObject) : [])
          if (numberOf(event) > followed.after) body.write(followed.write?.(event) ?? writeEvent(event));
        after = row.number;
        isReported = true;
        if (whole.isLast) return body.end();
      }
      const now = performance.now();
      if (isReported) {
        quietSince = now;
        room.need(parts.bytes);
      } else if (now - quietSince > context.env.STREAM_KEEPALIVE * 1000) {
        if (!(await isThere())) return body.cut();
        body.write(Buffer.from(': keep-alive\n\n'));
        quietSince = now;
      }
      if (after === followed.after) body.flushHeaders();
      if (rows.length === limit) {
        limit = piecesAtOnce;
        continue;
      }
      limit = 1;
      const isBroken = parts.count > 0;
      // The rest may be written yet, before those that are there.
      parts = new Parts();
      await new Promise((resolve) => setTimeout(resolve, isBroken ? brokenMs : lookMs));
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

/** The parts of events behind one of them, in order. */
function find(
  { db }: Pick<AppContext, 'db'>,
  responseId: string,
  { after, skip, limit }: { after: number; skip: number; limit: number },
): Promise<ResponsePartRecord[]> {
  return db.collection('response_pieces').find(
    { response_id: responseId, kind: 'events', number: { gt: after } },
    {
      sort: [
        ['number', 1],
        ['id', 1],
      ],
      skip,
      limit,
    },
  );
}

/** Who takes the events, at a pace of its own. */
class Reader implements BodySource {
  isLeft = false;
  readonly #room: Room;
  #isPaused = false;
  #goOn: (() => void) | null = null;

  constructor(room: Room) {
    this.#room = room;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#goOn?.();
  }

  disconnected(): void {
    this.isLeft = true;
    this.#goOn?.();
  }

  closed(): void {
    this.#room.close();
  }

  /** Resolves when it wants more, or has left. */
  async taken(): Promise<void> {
    if (this.#isPaused && !this.isLeft) await new Promise<void>((resolve) => (this.#goOn = resolve));
  }
}

/** What one reader holds. */
class Room {
  readonly #hold;
  readonly #most: number;
  #needed = 0;
  #isClosed = false;

  constructor({ bodies, env }: Pick<AppContext, 'bodies' | 'env'>, userId: number) {
    this.#hold = bodies.open(ownerOf(userId));
    this.#most = env.MAX_REQUEST_BODY_MB * 1_000_000;
  }

  /** As it is stored, and as it is read; never more than the largest body may take. */
  need(bytes: number): void {
    this.#needed = Math.min(bytes, this.#most) * 2;
  }

  /** Whether what is needed is held now. */
  fits(): boolean {
    const more = this.#needed - this.#hold.bytes;
    if (this.#isClosed || more <= 0) return true;
    try {
      this.#hold.grow(more);
      return true;
    } catch (failure) {
      if (failure instanceof AppError) return false;
      throw failure;
    }
  }

  shrinkTo(bytes: number): void {
    this.#hold.shrinkTo(bytes);
  }

  close(): void {
    this.#isClosed = true;
    this.#hold.shrinkTo(0);
  }
}

/** Those parts of events that have come. Some were written under ids whose order is another. */
class Parts {
  readonly #rows: ResponsePartRecord[] = [];
  #all = Infinity;

  get count(): number {
    return this.#rows.length;
  }

  get bytes(): number {
    return bytesOf(this.#rows);
  }

  /** All of them, once they are there. */
  add(row: ResponsePartRecord): { contents: string[]; isLast: boolean } | null {
    if (this.#rows.some(({ number }) => number !== row.number)) throw new Error('An event is there in part, and another one behind it');
    this.#rows.push(row);
    this.#all = row.parts ?? this.#all;
    if (this.#rows.length < this.#all) return null;
    const inOrder = this.#rows.toSorted((one, other) => (one.part ?? 0) - (other.part ?? 0));
    return { contents: inOrder.map(({ content }) => content), isLast: inOrder.some((each) => each.is_last) };
  }
}

/** Characters, with those of parts that are to come: one that is not the last is as long as they may be. */
function bytesOf(rows: readonly ResponsePartRecord[]): number {
  const here = rows.reduce((sum, { content }) => sum + content.length, 0);
  const last = rows.at(-1);
  if (last?.parts === undefined || last.part === undefined) return here;
  return here + (last.parts - 1 - last.part) * last.content.length;
}
