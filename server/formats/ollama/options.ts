// Model options, nested in an object.
import { isObject } from '#server/framing/loose-json.ts';

type Json = Record<string, unknown>;

/** Top-level fields of other formats, and channel settings such as context size and hardware. */
const names = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'seed',
  'stop',
  'frequency_penalty',
  'presence_penalty',
  'repeat_penalty',
  'repeat_last_n',
  'num_ctx',
  'num_predict',
  'num_keep',
  'num_batch',
  'num_gpu',
  'num_thread',
  'main_gpu',
  'use_mmap',
];

export function withOptions(body: Readonly<Json>, options: Readonly<Json>): Json {
  if (Object.keys(options).length === 0) return { ...body };
  return { ...body, options: { ...(isObject(body['options']) ? body['options'] : {}), ...options } };
}

/** Moves options that a channel set at the top level, where they have no effect. */
export function gatherOptions(body: Readonly<Json>): Json {
  const rest: Json = { ...body };
  const found: Json = {};
  for (const name of names) {
    if (rest[name] === undefined) continue;
    found[name] = rest[name];
    delete rest[name];
  }
  return withOptions(rest, found);
}
