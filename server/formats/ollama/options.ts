// What a model is run with stands in an object of its own.
import { isObject } from '#server/framing/loose-json.ts';

type Json = Record<string, unknown>;

/** Those that stand at the top of bodies in other formats, and those that a channel sets: size of the context, hardware. */
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

/** Options that a channel has set at the top of the body, where they would mean nothing, join the others. */
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
