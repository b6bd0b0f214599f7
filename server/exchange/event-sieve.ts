// What of a stream is kept while it is gathered into a whole response: the events that say it all. The others are let go as they come.
import type { FramedEvent, Framing, Splitter } from '#server/framing/framing.ts';

/** Bytes of a response in, those that are kept of it out. */
export interface Sieve {
  push(chunk: Buffer): Buffer;
  /** What is left at the end. */
  end(): Buffer;
  /** Bytes that have come, of which it is not decided yet. */
  readonly held: number;
}

const nothing = Buffer.alloc(0);

/** What turns out to be no stream is kept as it is. */
export class EventSieve implements Sieve {
  readonly #framing: Framing;
  readonly #stores: (event: FramedEvent) => boolean;
  #head: Buffer = nothing;
  /** Null: it is no stream. Undefined: that is not known yet. */
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

  /** What is left at the end of the body. */
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
