// Sound as it comes, or told in server-sent events: which of the two, its first bytes tell. Bytes are handed out as events, as everything is that a stream
// brings.
import { EventSplitter } from './event-splitter.ts';
import type { Splitter } from './framing.ts';
import { beginsStream } from './sse.ts';

/** The name of events whose data is sound, in base64. */
export const soundEvent = 'sound';

const nothing = Buffer.alloc(0);

/** Any bytes may be sound, but those of an error or of a page; undefined while too few have come. */
export function beginsSound(bytes: Buffer): boolean | undefined {
  const text = bytes.toString('latin1', 0, 64).trimStart();
  if (text === '') return undefined;
  return /^[{[<]/.test(text) ? false : beginsStream(bytes) === undefined ? undefined : true;
}

export class SoundSplitter implements Splitter {
  /** Null: bytes come; undefined: nothing has. */
  #events: EventSplitter | null | undefined;

  get restLength(): number {
    return this.#events?.restLength ?? 0;
  }

  get restLines(): number {
    return this.#events?.restLines ?? 0;
  }

  get isBroken(): boolean {
    return this.#events?.isBroken ?? false;
  }

  rest(): Buffer {
    return this.#events?.rest() ?? nothing;
  }

  push(chunk: Buffer): Buffer | null {
    if (this.#events === undefined) this.#events = beginsStream(chunk) === true ? new EventSplitter() : null;
    if (this.#events !== null) return this.#events.push(chunk);
    return chunk.length === 0 ? null : soundAsEvent(chunk);
  }
}

export function soundAsEvent(sound: Buffer): Buffer {
  return Buffer.from(`event: ${soundEvent}\ndata: ${sound.toString('base64')}\n\n`, 'latin1');
}
