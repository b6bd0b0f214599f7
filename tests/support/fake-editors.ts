// Providers that make pictures of pictures in a form of their own: each takes its own words strictly, pictures included, and answers as it does.
import { pictureOf } from './image-responses.ts';
import { addressOf } from './fake-painters.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { demand, hasOnly, type Json, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

interface Editor {
  type: number;
  key: string;
  other?: string;
  /** What it takes of a model that is edited with, at the end of its path. */
  model: string;
  path: string;
  isKeyed(headers: FrontedRequest['headers']): boolean;
  /** Addresses or data URLs of the pictures in a request. */
  read(body: Json): string[];
  answer(body: Json): Json;
}

const bearer = ({ authorization }: FrontedRequest['headers']) => authorization === 'Bearer ed-key';
const text = (value: unknown): value is string => typeof value === 'string' && value !== '';
const rows = [{ url: addressOf(0) }];

const google: Editor = {
  type: 24,
  key: 'ed-key',
  model: 'gemini-3-pro-image',
  path: '/v1beta/models/gemini-3-pro-image:generateContent',
  isKeyed: (headers) => headers['x-goog-api-key'] === 'ed-key',
  read(body) {
    demand(hasOnly(body, ['contents', 'generationConfig']), 'unknown field');
    const [content] = Array.isArray(body['contents']) ? body['contents'] : [];
    const parts: unknown[] = isObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
    demand(text(Object(parts.at(-1)).text), 'no prompt');
    return parts.slice(0, -1).map((part) => {
      const { mimeType, data } = Object(Object(part).inlineData);
      demand(text(mimeType) && text(data), 'inlineData');
      return `data:${mimeType};base64,${data}`;
    });
  },
  answer: () => ({
    candidates: [{ content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: pictureOf(0) } }] } }],
    usageMetadata: { promptTokenCount: 300, candidatesTokenCount: 1290, totalTokenCount: 1590 },
  }),
};

export const editors = {
  google,
  vertex: { ...google, type: 41, other: 'global', path: '/v1/publishers/google/models/gemini-3-pro-image:generateContent' },
  dashscope: {
    type: 17,
    key: 'ed-key',
    model: 'qwen-image-edit-plus',
    path: '/api/v1/services/aigc/multimodal-generation/generation',
    isKeyed: bearer,
    read(body) {
      demand(hasOnly(body, ['model', 'input', 'parameters']) && body['model'] === 'qwen-image-edit-plus', 'unknown field');
      const [message] = Object(body['input']).messages ?? [];
      const content: unknown[] = isObject(message) && Array.isArray(message['content']) ? message['content'] : [];
      demand(text(Object(content.at(-1)).text), 'no prompt');
      const { n } = Object(body['parameters']);
      demand(Number.isInteger(n) && n >= 1 && n <= 6, 'n');
      return content.slice(0, -1).map((part) => String(Object(part).image));
    },
    answer: () => ({
      output: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: [{ image: addressOf(0) }] } }] },
    }),
  },
  siliconflow: {
    type: 40,
    key: 'ed-key',
    model: 'Qwen/Qwen-Image-Edit-2509',
    path: '/v1/images/generations',
    isKeyed: bearer,
    read(body) {
      const { image, image2, image3 } = body;
      demand(hasOnly(body, ['model', 'prompt', 'image', 'image2', 'image3', 'seed']) && text(body['prompt']), 'unknown field');
      return [image, image2, image3].filter((one) => one !== undefined).map(String);
    },
    answer: () => ({ images: rows, timings: { inference: 1 }, seed: 7 }),
  },
  ark: {
    type: 45,
    key: 'ed-key',
    model: 'doubao-seedream-4-0',
    path: '/api/v3/images/generations',
    isKeyed: bearer,
    read(body) {
      const { image } = body;
      demand(hasOnly(body, ['model', 'prompt', 'image', 'size', 'response_format']) && text(body['prompt']), 'unknown field');
      demand(text(image) || (Array.isArray(image) && image.length > 1), 'image');
      return [image].flat().map(String);
    },
    answer: () => ({ created: 1, data: rows, usage: { generated_images: 1, output_tokens: 16_384, total_tokens: 16_384 } }),
  },
  minimax: {
    type: 35,
    key: 'ed-key',
    model: 'image-01',
    path: '/v1/image_generation',
    isKeyed: bearer,
    read(body) {
      const { subject_reference: references, n } = body;
      const known = ['model', 'prompt', 'subject_reference', 'aspect_ratio', 'width', 'height', 'response_format', 'n', 'seed'];
      demand(hasOnly(body, known) && text(body['prompt']), 'unknown field');
      demand(Number.isInteger(n) && Number(n) >= 1 && Number(n) <= 9, 'n');
      demand(body['response_format'] === 'url' || body['response_format'] === 'base64', 'response_format');
      demand(Array.isArray(references), 'subject_reference');
      return [references].flat().map((one: unknown) => {
        demand(isObject(one) && hasOnly(one, ['type', 'image_file']) && one['type'] === 'character', 'type');
        return String(one['image_file']);
      });
    },
    answer: () => ({ id: 'i1', data: { image_urls: [addressOf(0)] }, base_resp: { status_code: 0, status_msg: 'success' } }),
  },
  xai: {
    type: 48,
    key: 'ed-key',
    model: 'grok-imagine-image',
    path: '/v1/images/edits',
    isKeyed: bearer,
    read(body) {
      const { image, images } = body;
      demand(hasOnly(body, ['model', 'prompt', 'image', 'images', 'n', 'response_format']) && text(body['prompt']), 'unknown field');
      demand((image === undefined) !== (images === undefined), 'one of image and images');
      return [image ?? images].flat().map((one: unknown) => {
        demand(isObject(one) && hasOnly(one, ['url', 'type']) && one['type'] === 'image_url', 'image');
        return String(one['url']);
      });
    },
    answer: () => ({ data: rows }),
  },
} as const satisfies Record<string, Editor>;

export type EditorName = keyof typeof editors;

export interface FakeEditor extends ProviderFront, AsyncDisposable {
  /** Of each call, the pictures that it was given. */
  readonly taken: string[][];
  /** Every order is refused so from now on. */
  refuse(refusal: { status: number; body: object }): void;
}

export async function startFakeEditor(name: EditorName, upstreamUrl: string): Promise<FakeEditor> {
  const { type, key, other = '', path, isKeyed, read, answer }: Editor = editors[name];
  const taken: string[][] = [];
  let refusal: { status: number; body: object } | undefined;
  const refused = (status: number, message: string): Judgement => ({ kind: 'answer', status, body: { error: { message, code: status } } });
  const front = await startFront(upstreamUrl, ({ method, path: at, headers, body }): Judgement => {
    if (!isKeyed(headers)) return refused(401, 'no such key');
    if (method !== 'POST' || at !== path) return refused(404, `nothing at ${at}`);
    if (Number(headers['content-length']) !== body.length) return refused(411, 'no length');
    const requested = jsonOf(body);
    let pictures: string[] = [];
    const reported = readStrictly(() => {
      pictures = read(requested);
      return requested;
    });
    if ('fault' in reported) return refused(400, reported.fault);
    taken.push(pictures);
    return refusal === undefined ? { kind: 'answer', status: 200, body: answer(requested) } : { kind: 'answer', ...refusal };
  });
  return {
    ...front,
    channel: { type, key, other },
    taken,
    refuse: (reported) => (refusal = reported),
    [Symbol.asyncDispose]: () => front.close(),
  };
}
