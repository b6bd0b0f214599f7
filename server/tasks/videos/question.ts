// Questions to providers of videos, put together.
import { randomBytes } from 'node:crypto';
import type { VideoQuestion } from './video-format.ts';

export function jsonQuestion(path: string, body: object, headers: Readonly<Record<string, string>> = {}): VideoQuestion {
  return { path, body: Buffer.from(JSON.stringify(body)), headers };
}

/** What is left out of a body: fields that nobody said anything of. */
export function said<Fields extends Record<string, unknown>>(fields: Fields): Partial<Fields> {
  const kept: Partial<Fields> = { ...fields };
  for (const name of Object.keys(kept)) if (kept[name] === undefined) Reflect.deleteProperty(kept, name);
  return kept;
}

/** In no file that anybody could have written before. */
export function newBoundary(): string {
  return `----video-${randomBytes(18).toString('hex')}`;
}
