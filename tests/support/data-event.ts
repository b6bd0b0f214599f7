import type { FramedEvent } from '#server/framing/framing.ts';

/** An event of a stream that names none. */
export function dataEvent(data: string): FramedEvent {
  return { name: '', data };
}
