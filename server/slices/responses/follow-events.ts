// Streams the event log of a background response: logged events, then new ones as they are written. Bytes that the client
// has not received yet count as bodies of the owner; reading waits for capacity.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { ResponsePartRecord } from '#server/db/records/response-part.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type BodySource, LeanBody } from '#server/call/stream/lean-body.ts';
import { numberOf } from './event-log.ts';
import { ownerOf } from './response-store.ts';
import { openJson } from './sealed-json.ts';
import { type Json, writeEvent } from './present-response.ts';

/** Polling interval for events. */
const pollMs = 150;
/** Polling interval while a piece is incomplete. */
const brokenMs = 2_000;
/** Pieces read at a time. */
const piecesAtOnce = 8;

export interface Followed {
  responseId: string;
  userId: number;
  /** Number of the event after which to start. */
  after: number;
  /** Serializes an event for the client; if undefined, the Responses format is used. */
  write?(event: Json): Buffer;
}

/**
 * Streams existing and future events.
 * @param isThere reports whether the response still exists; called when no events appear for a while
 * @param onEnd called when reading ends; data may still be in flight
 */
export function followEvents(
  context: AppContext,
  followed: Followed,
  { exists, signal, onEnd }: { exists: () => Promise<boolean>; signal: AbortSignal; onEnd: () => void },
): LeanBody {
  const memory = new ReaderMemory(context, followed.userId);
  const reader = new Reader(memory);
  const body = new LeanBody(reader);
  const read = async () => {
    let { after } = followed;
    let quietSince = performance.now();
    let parts = new Parts();
    let limit = 1;
    for (;;) {
      await reader.taken();
      if (reader.isDisconnected) return;
      if (signal.aborted) return body.cut();
      if (parts.count === 0) memory.shrinkTo(0);
      const hasMemory = memory.fits();
      let rows = hasMemory ? await find(context, followed.responseId, { after, skip: parts.count, limit }) : [];
      if (hasMemory) memory.need(parts.bytes + bytesOf(rows));
      if (!memory.fits()) {
        // Releases everything before waiting: holding a part while waiting for the rest could deadlock with other
        // readers.
        rows = [];
        parts = new Parts();
        memory.shrinkTo(0);
      }
      let isReported = false;
      for (const row of rows) {
        const whole = parts.add(row);
        if (whole === null) continue;
        parts = new Parts();
        const events = await openJson(context, ownerOf(followed.userId), whole.contents);
        await reader.taken();
        if (reader.isDisconnected) return;
        for (const event of Array.isArray(events) ? events.filter(isObject) : [])
          if (numberOf(event) > followed.after) body.write(followed.write?.(event) ?? writeEvent(event));
        after = row.number;
        isReported = true;
        if (whole.isLast) return body.end();
      }
      const now = performance.now();
      if (isReported) {
        quietSince = now;
        memory.need(parts.bytes);
      } else if (now - quietSince > context.env.STREAM_KEEPALIVE * 1000) {
        if (!(await exists())) return body.cut();
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
      // The remaining parts may be written later.
      parts = new Parts();
      await new Promise((resolve) => setTimeout(resolve, isBroken ? brokenMs : pollMs));
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

/** Finds parts of events after a number, in order. */
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

/** Client of the stream, with back-pressure. */
class Reader implements BodySource {
  isDisconnected = false;
  readonly #memory: ReaderMemory;
  #isPaused = false;
  #resume: (() => void) | null = null;

  constructor(memory: ReaderMemory) {
    this.#memory = memory;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#resume?.();
  }

  disconnected(): void {
    this.isDisconnected = true;
    this.#resume?.();
  }

  closed(): void {
    this.#memory.close();
  }

  /** Resolves when the client wants more, or has disconnected. */
  async taken(): Promise<void> {
    if (this.#isPaused && !this.isDisconnected) await new Promise<void>((resolve) => (this.#resume = resolve));
  }
}

/** Memory of one reader. */
class ReaderMemory {
  readonly #hold;
  readonly #most: number;
  #needed = 0;
  #isClosed = false;

  constructor({ bodies, env }: Pick<AppContext, 'bodies' | 'env'>, userId: number) {
    this.#hold = bodies.open(ownerOf(userId));
    this.#most = env.MAX_REQUEST_BODY_MB * 1_000_000;
  }

  /** Sets the memory needed for the stored and the parsed form, up to the largest body. */
  need(bytes: number): void {
    this.#needed = Math.min(bytes, this.#most) * 2;
  }

  /** Reports whether the needed memory is reserved now. */
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

/** Collects the parts of a piece, whose ids may not be in order. */
class Parts {
  readonly #rows: ResponsePartRecord[] = [];
  #all = Infinity;

  get count(): number {
    return this.#rows.length;
  }

  get bytes(): number {
    return bytesOf(this.#rows);
  }

  /** Returns all parts once they are complete. */
  add(row: ResponsePartRecord): { contents: string[]; isLast: boolean } | null {
    if (this.#rows.some(({ number }) => number !== row.number)) throw new Error('An incomplete event is followed by another one');
    this.#rows.push(row);
    this.#all = row.parts ?? this.#all;
    if (this.#rows.length < this.#all) return null;
    const inOrder = this.#rows.toSorted((one, other) => (one.part ?? 0) - (other.part ?? 0));
    return { contents: inOrder.map(({ content }) => content), isLast: inOrder.some((each) => each.is_last) };
  }
}

/** Characters of a piece, with an estimate of missing parts: all but the last have the maximum length. */
function bytesOf(rows: readonly ResponsePartRecord[]): number {
  const here = rows.reduce((sum, { content }) => sum + content.length, 0);
  const last = rows.at(-1);
  if (last?.parts === undefined || last.part === undefined) return here;
  return here + (last.parts - 1 - last.part) * last.content.length;
}
