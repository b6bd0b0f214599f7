// Edits long bodies in steps, without copying their texts.
import { PiecedBody, wholeOf } from '#server/framing/byte-source.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { LongTexts } from '#server/framing/long-json.ts';
import { isObject, type JsonObject, parseObject, parseShallow } from '#server/framing/loose-json.ts';
import { readLongJson } from '#server/framing/read-long-json.ts';
import { stepByStep } from '#server/queues/step-by-step.ts';

/** Bytes above which a body is processed in steps. */
const longest = 256 * 1024;

/** Parses a body like `parseObject`; a long one in steps that yield to the event loop. */
export async function objectIn(body: Buffer): Promise<JsonObject | null> {
  const long = body.length <= longest ? null : await stepByStep(readLongJson(body));
  if (long === null) return parseObject(body.toString('utf8'));
  await stepByStep(long.texts.settle());
  const object = isTooDeep(long.json) ? null : parseShallow(long.json);
  const filled = object === null ? null : long.texts.fill(object);
  return isObject(filled) ? filled : null;
}

/**
 * Serializes a value as JSON; a long one in steps.
 * @param bytes approximate size of the result
 */
export async function bytesOf(value: unknown, bytes: number): Promise<Buffer> {
  if (bytes <= longest) return Buffer.from(JSON.stringify(value));
  const body = new LongTexts().body(value);
  await measured(body);
  return wholeOf(body);
}

/** Computes the size of a body of pieces in steps, so that reading `size` does not block. */
export async function measured(body: Buffer | PiecedBody): Promise<void> {
  const measuring = body instanceof PiecedBody ? body.measure() : null;
  if (measuring !== null) await stepByStep(measuring);
}
