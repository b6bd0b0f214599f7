// Translates the id of the code execution container in requests and responses.
import { isObject } from '#server/framing/loose-json.ts';
import type { ProviderObject } from '../provider-objects.ts';
import type { Body } from '#server/framing/strict-fields.ts';

/** Returns the id of the container that a request continues; undefined if none. */
export function containerOf({ container }: Body): string | undefined {
  const name = isObject(container) ? container.id : container;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Replaces the caller's id with the provider's. */
export function openContainer(body: Body, { reported, name }: ProviderObject): Body {
  if (containerOf(body) !== reported) return body;
  return { ...body, container: isObject(body['container']) ? { ...body['container'], id: name } : name };
}

const key = Buffer.from('"container"');

/** Reports whether the bytes may contain a container id. */
export function mayPresentContainer(bytes: Buffer): boolean {
  return bytes.includes(key);
}

/**
 * Replaces the container id in a response or stream event with the caller's. Other bytes are unchanged: text of the model has escaped
 * quotes.
 * @param source message or message delta
 */
export function presentContainer(bytes: Buffer, source: unknown, report: (name: string) => string): Buffer {
  const container = isObject(source) ? source.container : undefined;
  const name = isObject(container) ? container.id : undefined;
  if (typeof name !== 'string' || name === '') return bytes;
  return Buffer.from(bytes.toString('utf8').replaceAll(JSON.stringify(name), () => JSON.stringify(report(name))));
}

const noContainer = '"container":null';

/**
 * Adds the container to the message delta of a complete response that is sent as events.
 * @param message the complete response
 */
export function eventsWithContainer(events: Buffer, message: unknown): Buffer {
  const container = isObject(message) ? message.container : undefined;
  const text = events.toString('utf8');
  // The last occurrence is in the message delta: only usage follows, and quotes in the model's text are escaped.
  const at = text.lastIndexOf(noContainer);
  if (!isObject(container) || at < 0) return events;
  return Buffer.from(`${text.slice(0, at)}"container":${JSON.stringify(container)}${text.slice(at + noContainer.length)}`);
}
