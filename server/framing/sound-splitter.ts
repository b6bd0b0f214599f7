// Splits sound that arrives raw or in server-sent events, detected from the first bytes. Raw bytes are converted to
// events.
import { EventSplitter } from './event-splitter.ts';
import type { Splitter } from './framing.ts';
import { beginsStream } from './sse.ts';

/** Name of events whose data is sound in base64. */
export const soundEvent = 'sound';

const nothing = Buffer.alloc(0);

/** Accepts any bytes except those of an error or a page; undefined if more are needed. */
export function beginsSound(bytes: Buffer): boolean | undefined {
  const text = bytes.toString('latin1', 0, 64).trimStart();
  if (text === '') return undefined;
  return /^[{[<]/.test(text) ? false : beginsStream(bytes) === undefined ? undefined : true;
}

export class SoundSplitter implements Splitter {
  /** Null for raw bytes; undefined before the first byte. */
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
