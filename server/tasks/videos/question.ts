// Builds requests to video providers.
import { randomBytes } from 'node:crypto';
import type { VideoQuestion } from './video-format.ts';

export function jsonQuestion(path: string, body: object, headers: Readonly<Record<string, string>> = {}): VideoQuestion {
  return { path, body: Buffer.from(JSON.stringify(body)), headers };
}

/** Drops undefined fields of a body. */
export function said<Fields extends Record<string, unknown>>(fields: Fields): Partial<Fields> {
  const stored: Partial<Fields> = { ...fields };
  for (const name of Object.keys(stored)) if (stored[name] === undefined) Reflect.deleteProperty(stored, name);
  return stored;
}

/** Random, so that no file can contain it. */
export function newBoundary(): string {
  return `----video-${randomBytes(18).toString('hex')}`;
}
