// Reads the provider vectors and compares by their rules: absent equals null, `$ANY` is any text, `$INT` any whole number.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Headers = z.record(z.string(), z.string());

const Channel = z.object({
  type: z.int(),
  key: z.string(),
  base_url: z.string().default(''),
  other: z.string().default(''),
  openai_organization: z.string().default(''),
  model_mapping: z.record(z.string(), z.string()).optional(),
  param_override: z.record(z.string(), z.unknown()).optional(),
  setting: z.record(z.string(), z.unknown()).optional(),
});

const MultipartPart = z.object({
  value: z.string().optional(),
  filename: z.string().optional(),
  content_type: z.string().optional(),
  base64: z.string().optional(),
});

const Vector = z.object({
  name: z.string(),
  channel: Channel,
  request: z.object({ path: z.string(), body: z.record(z.string(), z.unknown()) }),
  context: z.object({ now_unix: z.int().optional(), prompt_tokens: z.int().optional() }).optional(),
  upstream: z.object({ url: z.string(), headers: Headers, body: z.unknown().optional() }),
  upstream_response: z.object({ status: z.int(), body: z.unknown().optional(), sse: z.array(z.string()).optional() }),
  other_calls: z
    .array(
      z.object({
        request: z.object({ url: z.string(), multipart: z.array(MultipartPart).optional() }),
        response: z.object({ body: z.unknown().optional() }),
      }),
    )
    .optional(),
  response: z.object({ body: z.unknown().optional() }).optional(),
  response_chunks: z.array(z.unknown()).optional(),
  error: z.object({ status: z.int(), error: z.record(z.string(), z.unknown()) }).optional(),
  usage: z.record(z.string(), z.unknown()).optional(),
});
export type Vector = z.infer<typeof Vector>;

const SocketVector = z.object({
  name: z.string(),
  channel: Channel,
  request: z.object({ body: z.record(z.string(), z.unknown()) }),
  context: z.object({ now_unix: z.int() }),
  upstream: z.object({ url: z.string(), body: z.unknown() }),
  upstream_response: z.object({ ws_frames: z.array(z.record(z.string(), z.unknown())) }),
  response: z.object({ body: z.unknown() }).optional(),
  response_chunks: z.array(z.unknown()).optional(),
  error: z.object({ status: z.int(), error: z.record(z.string(), z.unknown()) }).optional(),
  usage: z.record(z.string(), z.unknown()).optional(),
});
/** Vector of a provider with a WebSocket API. */
export type SocketVector = z.infer<typeof SocketVector>;

const UrlRow = z.object({
  type: z.int(),
  mode: z.string(),
  model: z.string(),
  base_url: z.string(),
  other: z.string(),
  url: z.string().optional(),
  headers: Headers.optional(),
  unsupported: z.boolean().optional(),
});

const ModelList = z.object({
  channel: z.object({ type: z.int() }),
  calls: z.array(z.object({ request: z.object({ url: z.string() }) })),
});

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../fixtures/provider-vectors/${name}.json`, import.meta.url), 'utf8'));
}

export function readVectors(name: string): Vector[] {
  return z.array(Vector).parse(read(name));
}

export function readSocketVectors(name: string): SocketVector[] {
  return z.array(SocketVector).parse(read(name));
}

export function readUrlRows(): z.infer<typeof UrlRow>[] {
  return z.array(UrlRow).parse(read('compat-urls'));
}

export function readModelLists(): z.infer<typeof ModelList>[] {
  return z.array(ModelList).parse(read('fetch-models'));
}

/** Where `actual` is not what the vector expects. `isExact`: nothing may be there that is not expected. */
export function differences(actual: unknown, expected: unknown, isExact: boolean, path = ''): string[] {
  if (expected === '$ANY') return typeof actual === 'string' && actual !== '' ? [] : [`${path} is missing`];
  if (expected === '$INT') return Number.isInteger(actual) ? [] : [`${path} is not a whole number`];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${path} is not a list`];
    if (actual.length !== expected.length) return [`${path} has ${actual.length} items instead of ${expected.length}`];
    return expected.flatMap((item: unknown, index) => differences(actual[index], item, isExact, `${path}[${index}]`));
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return [`${path} is not an object`];
    const keys = isExact ? new Set([...Object.keys(actual), ...Object.keys(expected)]) : Object.keys(expected);
    return [...keys].flatMap((key) => differences(actual[key], expected[key], isExact, `${path}.${key}`));
  }
  if (isAbsent(expected) && isAbsent(actual)) return [];
  return actual === expected ? [] : [`${path} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
