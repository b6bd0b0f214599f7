// The container in which code runs: where a request names it, and where a response does.
import { isObject } from '#server/framing/loose-json.ts';
import type { ProviderObject } from '../provider-objects.ts';
import type { Body } from '../strict-fields.ts';

/** The one that a request goes on with; undefined: none. */
export function containerOf({ container }: Body): string | undefined {
  const name = isObject(container) ? container.id : container;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** The same request under the provider's own name. */
export function openContainer(body: Body, { reported, name }: ProviderObject): Body {
  if (containerOf(body) !== reported) return body;
  return { ...body, container: isObject(body['container']) ? { ...body['container'], id: name } : name };
}

const key = Buffer.from('"container"');

/** Bytes of a response that may tell one. */
export function mayPresentContainer(bytes: Buffer): boolean {
  return bytes.includes(key);
}

/**
 * A response, or one event of a stream, under the name that its caller is told. Its bytes stay as they are but for that: what the model
 * wrote stands in longer texts, or with quotes that are escaped.
 * @param teller a message, or the delta of one
 */
export function presentContainer(bytes: Buffer, teller: unknown, report: (name: string) => string): Buffer {
  const container = isObject(teller) ? teller.container : undefined;
  const name = isObject(container) ? container.id : undefined;
  if (typeof name !== 'string' || name === '') return bytes;
  return Buffer.from(bytes.toString('utf8').replaceAll(JSON.stringify(name), () => JSON.stringify(report(name))));
}

const unknown = '"container":null';

/** Events of a whole response that was told as a stream: their last delta has the container. @param message the whole response */
export function eventsWithContainer(events: Buffer, message: unknown): Buffer {
  const container = isObject(message) ? message.container : undefined;
  const text = events.toString('utf8');
  // Behind it there is only the usage; what the model wrote has its quotes escaped.
  const at = text.lastIndexOf(unknown);
  if (!isObject(container) || at < 0) return events;
  return Buffer.from(`${text.slice(0, at)}"container":${JSON.stringify(container)}${text.slice(at + unknown.length)}`);
}
