// Images of Ali: older models run a task that is polled, newer ones take a chat request with one message.
// https://help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference
// https://help.aliyun.com/zh/model-studio/qwen-image-api
import { isObject } from '#server/framing/loose-json.ts';
import {
  type Body,
  countIn,
  type ImageFormat,
  objectsIn,
  pictureOf,
  type ReportedPictures,
  splitFields,
  textIn,
  type WrittenPictures,
} from '../image-format.ts';

/** Prefixes of models that take messages. */
export const byMessages = ['qwen-image', 'z-image', 'wan2.6', 'wan2.7'] as const;

const parameters = ['seed', 'prompt_extend', 'watermark', 'style'];
const ofPrompt = ['negative_prompt'];
const running = new Set(['PENDING', 'RUNNING']);

export const dashscope: ImageFormat = {
  mostPictures: (model) => (isByMessages(model) && !/^(?:qwen-image-2|wan)/.test(model) ? 1 : model.startsWith('qwen-image') ? 6 : 4),
  writeRequest(body, model) {
    if (isByMessages(model)) return dashscopeContent(body, model, []);
    const { requested, without, dropped } = parametersOf(body);
    return {
      body: { model, input: { prompt: body.prompt, ...without }, parameters: requested },
      headers: { 'x-dashscope-async': 'enable' },
      dropped,
    };
  },
  readResponse(reported) {
    const { output } = reported;
    if (!isObject(output)) return null;
    const { task_status: status } = output;
    if (status !== undefined && status !== 'SUCCEEDED') return failed(output);
    const pictures = [
      ...objectsIn(output.results).flatMap((row) => pictureOf(row, ['url'], ['b64_image'])),
      ...objectsIn(output.choices).flatMap(({ message }) =>
        objectsIn(isObject(message) ? message.content : undefined).flatMap((part) => pictureOf(part, ['image'], [])),
      ),
    ];
    if (pictures.length > 0) return { pictures, usage: null } satisfies ReportedPictures;
    // Each image of a task may fail by itself.
    const [first] = objectsIn(output.results);
    return first === undefined ? null : failed(first);
  },
  createAwaiting: ({ path }) => ({
    isOrder: true,
    next(body) {
      const task = isObject(body.output) && running.has(String(body.output.task_status)) ? textIn(body.output, 'task_id') : undefined;
      if (task === undefined || !/^[\w-]{1,100}$/.test(task)) return { kind: 'response', body };
      return { kind: 'request', path: path.replace(/\/services\/.*$/, `/tasks/${task}`), isLater: true };
    },
    cancel: () => null,
  }),
};

/** @param pictures input images as message parts */
export function dashscopeContent(body: Body, model: string, pictures: readonly object[]): WrittenPictures {
  const { requested, without, dropped } = parametersOf(body);
  const messages = [{ role: 'user', content: [...pictures, { text: body.prompt }] }];
  return { body: { model, input: { messages }, parameters: { ...requested, ...without } }, dropped };
}

function parametersOf(body: Body): { requested: Record<string, unknown>; without: Record<string, unknown>; dropped: string[] } {
  const { extras, dropped } = splitFields(body, [...parameters, ...ofPrompt]);
  const size = textIn(body, 'size');
  const reported = Object.fromEntries(Object.entries(extras).filter(([name]) => parameters.includes(name)));
  const requested = {
    ...reported,
    ...(size === undefined || size === 'auto' ? {} : { size: size.replace('x', '*') }),
    // Some models default to four.
    n: countIn(body),
  };
  const { negative_prompt: negative } = extras;
  return { requested, without: negative === undefined ? {} : { negative_prompt: negative }, dropped };
}

function isByMessages(model: string): boolean {
  return byMessages.some((name) => model.startsWith(name));
}

/** https://help.aliyun.com/zh/model-studio/error-code */
function failed(reported: Body): ReturnType<ImageFormat['readResponse']> {
  const code = textIn(reported, 'code') ?? textIn(reported, 'task_status') ?? 'upstream_error';
  const status = /^(?:DataInspectionFailed|InvalidParameter|InvalidURL)/.test(code) ? 400 : code.startsWith('Throttling') ? 429 : 502;
  return { error: { status, message: textIn(reported, 'message') ?? `The task has ended: ${code}`, type: 'ali_error', param: '', code } };
}
