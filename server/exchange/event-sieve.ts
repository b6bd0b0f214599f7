// Filters a stream that is collected into a whole response: stores the events that make up the result and drops the
// others.
import type { FramedEvent, Framing, Splitter } from '#server/framing/framing.ts';

/** Takes response bytes and returns those to store. */
export interface Sieve {
  push(chunk: Buffer): Buffer;
  /** Returns the remaining bytes. */
  end(): Buffer;
  /** Buffered bytes that are not decided yet. */
  readonly held: number;
}

const nothing = Buffer.alloc(0);

/** Stores a body that is no stream unchanged. */
export class EventSieve implements Sieve {
  readonly #framing: Framing;
  readonly #stores: (event: FramedEvent) => boolean;
  #head: Buffer = nothing;
  /** Null if the body is no stream; undefined if not known yet. */
  #splitter: Splitter | null | undefined;

  constructor(framing: Framing, stores: (event: FramedEvent) => boolean) {
    this.#framing = framing;
    this.#stores = stores;
  }

  get held(): number {
    return this.#head.length + (this.#splitter?.restLength ?? 0);
  }

  push(chunk: Buffer): Buffer {
    if (this.#splitter === null) return chunk;
    if (this.#splitter !== undefined) return this.#stored(this.#splitter.push(chunk));
    const head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const begins = this.#framing.begins(head);
    this.#head = begins === undefined ? head : nothing;
    if (begins === undefined) return nothing;
    this.#splitter = begins ? this.#framing.createSplitter() : null;
    return this.push(head);
  }

  /** Returns the bytes left at the end of the body. */
  end(): Buffer {
    if (this.#splitter === undefined) return this.#head;
    const last = this.#splitter === null ? null : this.#framing.lastEvent(this.#splitter.rest());
    return last !== null && this.#stores(last) ? written(last) : nothing;
  }

  #stored(events: Buffer | null): Buffer {
    if (events === null) return nothing;
    const stored: Buffer[] = [];
    for (const event of this.#framing.events(events)) if (this.#stores(event)) stored.push(written(event));
    return Buffer.concat(stored);
  }
}

function written({ name, data }: FramedEvent): Buffer {
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return Buffer.from(`${name === '' ? '' : `event: ${name}\n`}${lines.join('')}\n`);
}
