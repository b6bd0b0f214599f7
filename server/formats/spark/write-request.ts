// Writes parts as the request message. The application id belongs to the key and is added when the call is signed.
import { noteMessage, noteTools, shapeInWords, reportedText } from '../application-losses.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { AssistantPart, ChatRequest, Message, TextPart, UserPart } from '../parts.ts';
import type { AppliedTraits, WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import type { EncodeInput } from '../encode-input.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';

interface SparkMessage {
  role: string;
  content: string;
}

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, { upstreamModel }: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  losses.carry(request.extras, carriedFields, title);
  if (request.stop !== undefined) throw untranslatable(request.clientFields.stop?.name ?? 'stop', title);
  noteTools(request, losses, title);
  if (request.userId !== undefined) losses.drop('user_id');
  const shape = shapeInWords(request.responseFormat);
  const reported = request.messages.flatMap((message) => writeMessage(message, losses));
  const text = shape === null ? reported : [{ role: 'system', content: shape }, ...reported];
  const body = {
    header: {},
    parameter: { chat: { domain: upstreamModel, ...samplingOf(request), ...penaltiesOf(request) } },
    payload: { message: { text } },
  };
  return { body, dropped: losses.names };
}

/** https://www.xfyun.cn/doc/spark/Web.html: `top_k` is 1 to 6. */
function samplingOf({ maxTokens, temperature, topP, topK }: ChatRequest): Record<string, number> {
  return {
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature: Math.min(2, temperature) }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: Math.min(6, Math.max(1, topK)) }),
  };
}

/** Penalties have the same names as in callers' formats. */
function penaltiesOf({ extras }: ChatRequest): Record<string, unknown> {
  const penalties = extras.filter(({ field }) => field === 'presence_penalty' || field === 'frequency_penalty');
  return Object.fromEntries(penalties.map(({ field, value }): [string, unknown] => [String(field), value]));
}

function writeMessage(message: Message, losses: Losses): SparkMessage[] {
  const { role, content, field } = message;
  noteMessage(message, losses);
  const texts = content.map((part: TextPart | UserPart | AssistantPart) => {
    const text = reportedText(part, { field, losses, title });
    if (text === null) throw untranslatable(field, title);
    return text;
  });
  const reported = texts.filter((text) => text !== '').join('\n');
  return reported === '' ? [] : [{ role, content: reported }];
}

/** Sets the model version; the channel may choose one for a name without a version. */
export function applyTraits(body: Readonly<Record<string, unknown>>, { route }: EncodeInput): AppliedTraits {
  const { parameter, payload } = body;
  const chat = isObject(parameter) && isObject(parameter['chat']) ? parameter['chat'] : {};
  const named = { ...body, parameter: { chat: { ...chat, domain: route.nameThere } } };
  return { body: isOld.test(route.nameThere) ? { ...named, payload: withoutSystem(payload) } : named, dropped: [] };
}

/** Models without instructions. */
const isOld = /^general(?:v[23])?$/;
const agreed: SparkMessage = { role: 'assistant', content: 'Okay' };

function withoutSystem(payload: unknown): unknown {
  const message = isObject(payload) ? payload['message'] : undefined;
  const text: unknown = isObject(message) ? message['text'] : undefined;
  if (!Array.isArray(text)) return payload;
  const reported = text.filter(isObject).flatMap((one) => (one['role'] === 'system' ? [{ ...one, role: 'user' }, { ...agreed }] : [one]));
  return { message: { text: reported } };
}
