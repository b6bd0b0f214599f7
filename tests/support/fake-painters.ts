// Providers that make pictures in a form of their own: each takes its own words strictly, and answers as it does.
import { setTimeout as delay } from 'node:timers/promises';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { pictureOf } from './image-responses.ts';
import { publicName } from './fake-internet.ts';
import { isObject } from './upstream-responses.ts';

export interface PainterBehaviour {
  /** Addresses of the pictures, in order. */
  addresses?: readonly string[];
  /** Questions about a task until it ends. */
  polls?: number;
  /** How a task ends. */
  status?: string;
  /** Statuses of the next questions about it, before any answer. */
  lost?: number[];
  /** Answered instead of any picture. */
  instead?: object;
  /** Every order is refused so. */
  refusal?: { status: number; body: object };
  /** `instead`, `refusal` and `holds` from this order on, counted from 1. Missing: from the first. */
  from?: number;
  /** Nothing is answered. */
  holds?: true;
  /** Milliseconds that a question about a task takes. */
  slowly?: number;
}

export interface FakePainter extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
  /** Paths of the questions about tasks. */
  readonly requested: string[];
  behave(behaviour: PainterBehaviour): void;
}

interface Requested {
  body: Record<string, unknown>;
  path: string;
  behaviour: PainterBehaviour;
  headers: FrontedRequest['headers'];
}

type Answer = object | { fault: string };

interface Painter {
  type: number;
  key: string;
  other?: string;
  authorization?: (headers: FrontedRequest['headers'], path: string) => boolean;
  paint: (requested: Requested) => Answer;
}

export const addressOf = (index: number): string => `https://${publicName}/picture-${index}.png?sign=a%2Fb&x=1`;

/** Fields that are not known, or not of their kind. */
function faultIn(body: Record<string, unknown>, fields: Record<string, (value: unknown) => boolean>): string | undefined {
  for (const [name, value] of Object.entries(body)) {
    if (fields[name] === undefined) return `unknown field ${name}`;
    if (!fields[name](value)) return `bad value of ${name}`;
  }
  return undefined;
}

const text = (value: unknown) => typeof value === 'string' && value !== '';
const matching = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const whole =
  (most: number, least = 1) =>
  (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
const flag = (value: unknown) => typeof value === 'boolean';
const object = (fields: Record<string, (value: unknown) => boolean>) => (value: unknown) =>
  isObject(value) && faultIn(value, fields) === undefined;
const one =
  (...words: readonly unknown[]) =>
  (value: unknown) =>
    words.includes(value);
const list = (item: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.length === 1 && value.every(item);

function addresses({ addresses: reported }: PainterBehaviour, count: number): string[] {
  return Array.from({ length: count }, (_, index) => reported?.[index] ?? addressOf(index));
}

const dashscope: Painter = {
  type: 17,
  key: 'ali-key',
  paint({ body, path, behaviour, headers }) {
    const parameters = { size: matching(/^\d+\*\d+$/), seed: whole(2 ** 31, 0), prompt_extend: flag, watermark: flag };
    if (path === '/prefix/api/v1/services/aigc/multimodal-generation/generation') {
      const fault = faultIn(body, {
        model: text,
        input: object({ messages: list(object({ role: one('user'), content: list(object({ text })) })) }),
        parameters: object({ ...parameters, n: whole(6), negative_prompt: text }),
      });
      if (fault !== undefined || headers['x-dashscope-async'] !== undefined || headers['x-dashscope-sse'] !== undefined)
        return { fault: fault ?? 'not so' };
      const [url] = addresses(behaviour, 1);
      const message = { role: 'assistant', content: [{ image: url }] };
      return {
        output: { choices: [{ finish_reason: 'stop', message }] },
        usage: { width: 1328, height: 1328, image_count: 1 },
        request_id: 'r',
      };
    }
    if (path !== '/prefix/api/v1/services/aigc/text2image/image-synthesis') return { fault: `nothing at ${path}` };
    if (headers['x-dashscope-async'] !== 'enable') return { fault: 'current user api does not support synchronous calls.' };
    const fault = faultIn(body, {
      model: text,
      input: object({ prompt: text, negative_prompt: text }),
      parameters: object({ ...parameters, n: whole(4), style: text }),
    });
    return fault === undefined ? { output: { task_id: 'task-1', task_status: 'PENDING' }, request_id: 'r1' } : { fault };
  },
};

function dashscopeTask(
  { addresses: reported, status = 'SUCCEEDED', polls = 1 }: PainterBehaviour,
  requested: number,
  count: number,
): object {
  if (requested <= polls) return { output: { task_id: 'task-1', task_status: 'RUNNING' }, request_id: 'r2' };
  const facts = { task_id: 'task-1', task_status: status };
  if (status !== 'SUCCEEDED') return { output: { ...facts, code: 'DataInspectionFailed', message: 'the picture is not proper' } };
  const results = addresses(reported === undefined ? {} : { addresses: reported }, count).map((url) => ({
    url,
    actual_prompt: 'a wide tide',
  }));
  return {
    output: { ...facts, results: [...results, { code: 'InternalError.Timeout', message: 'one of them' }] },
    usage: { image_count: count },
  };
}

const google: Painter = {
  type: 24,
  key: 'g-key',
  authorization: (headers) => headers['x-goog-api-key'] === 'g-key',
  paint({ body, path }) {
    if (path.endsWith(':predict')) {
      const fault = faultIn(body, {
        instances: list(object({ prompt: text })),
        parameters: object({ sampleCount: whole(4), aspectRatio: one('1:1', '3:4', '4:3', '9:16', '16:9'), personGeneration: text }),
      });
      if (fault !== undefined) return { fault };
      const count = isObject(body['parameters']) ? Number(body['parameters']['sampleCount']) : 1;
      const predictions = Array.from({ length: count }, (_, index) => ({
        mimeType: 'image/png',
        bytesBase64Encoded: pictureOf(index),
        prompt: 'a wide tide',
      }));
      return { predictions: [...predictions, { raiFilteredReason: 'one was filtered' }] };
    }
    if (!path.endsWith(':generateContent')) return { fault: `nothing at ${path}` };
    const fault = faultIn(body, {
      contents: list(object({ role: one('user'), parts: list(object({ text })) })),
      generationConfig: object({
        responseModalities: (value) => JSON.stringify(value) === '["TEXT","IMAGE"]',
        imageConfig: object({ aspectRatio: matching(/^\d+:\d+$/), imageSize: one('1K', '2K', '4K') }),
      }),
    });
    if (fault !== undefined) return { fault };
    const parts = [{ inlineData: { mimeType: 'image/png', data: pictureOf(3) }, thought: true }, { text: 'Here it is.' }];
    return {
      candidates: [{ content: { role: 'model', parts: [...parts, { inlineData: { mimeType: 'image/png', data: pictureOf(0) } }] } }],
      usageMetadata: {
        promptTokenCount: 8,
        candidatesTokenCount: 1300,
        thoughtsTokenCount: 100,
        totalTokenCount: 1408,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
      },
    };
  },
};

const minimax: Painter = {
  type: 35,
  key: 'mm-key',
  paint({ body, path, behaviour }) {
    if (path !== '/prefix/v1/image_generation') return { fault: `nothing at ${path}` };
    const fault = faultIn(body, {
      model: one('image-01', 'image-01-live'),
      prompt: text,
      aspect_ratio: one('1:1', '16:9', '4:3', '3:2', '2:3', '3:4', '9:16', '21:9'),
      width: whole(2048, 512),
      height: whole(2048, 512),
      response_format: one('url', 'base64'),
      n: whole(9),
      seed: whole(2 ** 31, 0),
      prompt_optimizer: flag,
    });
    if (fault !== undefined) return { base_resp: { status_code: 2013, status_msg: fault } };
    const count = Number(body['n']);
    const data =
      body['response_format'] === 'url'
        ? { image_urls: addresses(behaviour, count) }
        : { image_base64: Array.from({ length: count }, (_, index) => pictureOf(index)) };
    return {
      id: 'i1',
      data,
      metadata: { success_count: String(count), failed_count: '0' },
      base_resp: { status_code: 0, status_msg: 'success' },
    };
  },
};

const ark: Painter = {
  type: 45,
  key: 'ark-key',
  paint({ body, path, behaviour }) {
    if (path !== '/prefix/api/v3/images/generations') return { fault: `nothing at ${path}` };
    const fault = faultIn(body, {
      model: text,
      prompt: text,
      size: matching(/^(?:[1-4]K|\d+x\d+)$/),
      seed: whole(2 ** 31, 0),
      watermark: flag,
      response_format: one('url', 'b64_json'),
      sequential_image_generation: one('auto', 'disabled'),
      sequential_image_generation_options: object({ max_images: whole(15) }),
    });
    if (fault !== undefined) return { fault };
    const options = body['sequential_image_generation_options'];
    const count = isObject(options) ? Number(options['max_images']) : 1;
    const rows = addresses(behaviour, count).map((url, index) =>
      body['response_format'] === 'url' ? { url, size: '2048x2048' } : { b64_json: pictureOf(index), size: '2048x2048' },
    );
    const failed = { error: { code: 'OutputImageSensitiveContentDetected', message: 'one of them is not proper' } };
    const tokens = 16_384 * count;
    const usage = { generated_images: count, output_tokens: tokens, total_tokens: tokens };
    return { model: body['model'], created: 1_757_321_139, data: count > 1 ? [...rows, failed] : rows, usage };
  },
};

const likeOpenai =
  (at: string, fields: Record<string, (value: unknown) => boolean>, most: number): Painter['paint'] =>
  ({ body, path, behaviour }) => {
    if (path !== at) return { fault: `nothing at ${path}` };
    const fault = faultIn(body, { model: text, prompt: text, n: whole(most), ...fields });
    if (fault !== undefined) return { fault };
    const count = typeof body['n'] === 'number' ? body['n'] : typeof body['batch_size'] === 'number' ? body['batch_size'] : 1;
    const rows = addresses(behaviour, count).map((url) => ({ url }));
    return fields['batch_size'] === undefined
      ? { created: 1_713_833_628, data: rows }
      : { images: rows, timings: { inference: 1 }, seed: 7 };
  };

export const painters = {
  dashscope,
  google,
  minimax,
  ark,
  vertex: {
    ...google,
    type: 41,
    other: 'global',
    paint: (requested) =>
      /^\/prefix\/v1\/publishers\/google\/models\/[\w.-]+:\w+$/.test(requested.path)
        ? google.paint(requested)
        : { fault: `nothing at ${requested.path}` },
  },
  wenxin: {
    type: 15,
    key: 'AKpaints|SKpaints',
    authorization: (headers, path) => headers.authorization === undefined && path.endsWith('?access_token=24.paints'),
    paint({ body, path }) {
      if (!path.startsWith('/prefix/rpc/2.0/ai_custom/v1/wenxinworkshop/text2image/sd_xl?')) return { fault: `nothing at ${path}` };
      const fault = faultIn(body, { prompt: text, negative_prompt: text, n: whole(4), size: matching(/^\d+x\d+$/), steps: whole(50) });
      if (fault !== undefined) return { error_code: 336_003, error_msg: fault };
      const data = Array.from({ length: Number(body['n']) }, (_row, index) => ({ object: 'image', b64_image: pictureOf(index), index }));
      return { id: 'as-1', object: 'image', created: 1_680_166_793, data, usage: { prompt_tokens: 2, total_tokens: 2 } };
    },
  },
  zhipu: {
    type: 26,
    key: 'id1.secret1',
    authorization: (headers) => headers.authorization?.split('.').length === 3,
    paint: likeOpenai(
      '/prefix/api/paas/v4/images/generations',
      { size: matching(/^\d+x\d+$/), quality: one('hd', 'standard'), n: () => false },
      1,
    ),
  },
  qianfan: {
    type: 46,
    key: 'bd-key',
    paint: likeOpenai('/prefix/v2/images/generations', { size: matching(/^\d+x\d+$/), seed: whole(2 ** 31, 0) }, 4),
  },
  siliconflow: {
    type: 40,
    key: 'sf-key',
    paint: likeOpenai(
      '/prefix/v1/images/generations',
      { image_size: matching(/^\d+x\d+$/), batch_size: whole(4), seed: whole(2 ** 31, 0) },
      0,
    ),
  },
} as const satisfies Record<string, Painter>;

export type PainterName = keyof typeof painters;

export async function startFakePainter(name: PainterName, upstreamUrl: string): Promise<FakePainter> {
  const { type, key, other = '', paint, authorization = byBearer(key) }: Painter = painters[name];
  const taken: Record<string, unknown>[] = [];
  const requested: string[] = [];
  let behaviour: PainterBehaviour = {};
  const answerTo = async ({ method, path, headers, body }: FrontedRequest): Promise<Judgement> => {
    if (path.startsWith('/oauth/2.0/token?')) {
      return { kind: 'answer', status: 200, body: { access_token: '24.paints', expires_in: 2_592_000 } };
    }
    if (!authorization(headers, path)) return refused(401, 'no such key');
    if (method === 'GET' && path.startsWith('/prefix/api/v1/tasks/')) {
      requested.push(path);
      await delay(behaviour.slowly ?? 0);
      const lost = behaviour.lost?.shift();
      if (lost !== undefined) return refused(lost, 'busy');
      const parameters = taken.at(-1)?.['parameters'];
      const count = isObject(parameters) ? Number(parameters['n']) : 1;
      return { kind: 'answer', status: 200, body: dashscopeTask(behaviour, requested.length, count) };
    }
    if (method !== 'POST') return refused(405, 'not so');
    const reported = jsonOf(body);
    taken.push(reported);
    const { holds, refusal, instead } = taken.length < (behaviour.from ?? 1) ? {} : behaviour;
    if (holds === true) await new Promise(() => {});
    if (refusal !== undefined) return { kind: 'answer', ...refusal };
    const answer = paint({ body: reported, path, behaviour, headers });
    if ('fault' in answer) return refused(400, answer.fault);
    return { kind: 'answer', status: 200, body: instead ?? answer };
  };
  const front = await startFront(upstreamUrl, answerTo);
  return {
    ...front,
    url: `${front.url}/prefix`,
    channel: { type, key, other },
    taken,
    requested,
    behave: (next) => (behaviour = next),
    [Symbol.asyncDispose]: () => front.close(),
  };
}

function byBearer(key: string): NonNullable<Painter['authorization']> {
  return ({ authorization }) => authorization === `Bearer ${key}`;
}

function refused(status: number, message: string): Judgement {
  return { kind: 'answer', status, body: { error: { message, type: 'invalid_request_error', code: String(status) } } };
}
