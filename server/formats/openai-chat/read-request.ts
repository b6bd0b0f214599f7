// Reads a chat completion request into parts.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { defined } from '../defined.ts';
import { extraFieldReader, isTextOnly, withSound } from '../extra-fields.ts';
import { sourceOfUrl } from '../media.ts';
import type {
  AssistantPart,
  ChatRequest,
  FilePart,
  ImagePart,
  Message,
  ReasoningEffort,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from '../parts.ts';
import { callIds } from './call-ids.ts';
import { kindOfTool } from './hosted-tools.ts';
import { readSignatureField, sealOfDetail } from './reasoning-details.ts';
import { ResultTurns } from '../result-turns.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { readFunction, readHostedTools, readTool, readToolChoice } from './read-tools.ts';
import { clientFields } from './format-fields.ts';
import { textToolNames } from './text-tools.ts';
import { argumentsOfCall, argumentsOfFreeText } from '../tool-arguments.ts';

type TextToolNames = ReadonlySet<string>;

const known: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'parallel_tool_calls',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'response_format',
  'reasoning_effort',
  'user',
  'stream',
  'stream_options',
  'web_search_options',
]);

const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const mostTokens = 1_073_741_823;

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for features of one provider */
export function readRequest(body: Body): ChatRequest {
  const fields = new StrictFields(body);
  const effort = fields.oneOf('reasoning_effort', efforts);
  const tools = fields.objects('tools');
  const textTools = new Set(textToolNames(body));
  const hostedTools = readHostedTools(tools, fields);
  const limit = fields.integer('max_completion_tokens', 0, mostTokens) ?? fields.integer('max_tokens', 0, mostTokens);
  return {
    model: fields.requiredText('model'),
    messages: readMessages(fields, textTools),
    ...(hostedTools.length === 0 ? {} : { hostedTools }),
    tools: [...tools.filter((tool) => kindOfTool(tool.plain) === null).map(readTool), ...fields.objects('functions').map(readFunction)],
    isStream: fields.boolean('stream') ?? false,
    extras: withSound(extraFields(fields, known)),
    clientFields,
    ...defined('toolChoice', readToolChoice(fields, hostedTools)),
    ...defined('parallelToolCalls', fields.boolean('parallel_tool_calls')),
    ...defined('maxTokens', limit === 0 ? undefined : limit),
    ...defined('temperature', fields.number('temperature')),
    ...defined('topP', fields.number('top_p')),
    ...defined('topK', fields.integer('top_k', 0, mostTokens)),
    ...defined('stop', readStop(fields)),
    ...defined('responseFormat', readFormat(fields)),
    ...defined('reasoning', effort === undefined ? undefined : { isOn: effort !== 'none', effort }),
    ...defined('userId', fields.text('user')),
  };
}

const extraFields = extraFieldReader(clientFields, (name, value) => name === 'modalities' && isTextOnly(value, 'text'));

function readStop(fields: StrictFields): string[] | undefined {
  const value = fields.raw('stop');
  if (value === undefined) return undefined;
  const texts = Array.isArray(value) ? value : [value];
  if (!texts.every((text) => typeof text === 'string')) throw badField('stop', fieldRules.text);
  return texts.length === 0 ? undefined : texts;
}

function readFormat(fields: StrictFields): ChatRequest['responseFormat'] {
  const format = fields.fields('response_format');
  const kind = format?.oneOf('type', ['text', 'json_object', 'json_schema']);
  if (format === undefined || kind === undefined || kind === 'text') return undefined;
  if (kind === 'json_object') return { kind: 'json' };
  const schema = format.fields('json_schema');
  if (schema === undefined) throw badField('response_format.json_schema', fieldRules.required);
  return {
    kind: 'schema',
    schema: schema.object('schema') ?? {},
    ...defined('name', schema.text('name')),
    ...defined('description', schema.text('description')),
    ...defined('isStrict', schema.boolean('strict')),
  };
}

function readMessages(fields: StrictFields, textTools: TextToolNames): Message[] {
  const messages: Message[] = [];
  const results = new ResultTurns(messages);
  for (const message of fields.objects('messages')) {
    const field = message.path('content');
    const role = message.text('role') ?? 'user';
    const named = defined('name', message.text('name'));
    if (role === 'system' || role === 'developer') messages.push({ role: 'system', content: readTexts(message), field });
    else if (role === 'assistant') messages.push({ role: 'assistant', content: readAssistant(message, textTools), field, ...named });
    else if (role === 'tool' || role === 'function') addToolResult(results, message, field);
    else if (role === 'user' || role === '') messages.push({ role: 'user', content: readUserParts(message), field, ...named });
    else throw badField(message.path('role'), fieldRules.oneOf(['system', 'developer', 'user', 'assistant', 'tool']));
  }
  return messages;
}

function addToolResult(results: ResultTurns, message: StrictFields, field: string): void {
  const callId = message.text('tool_call_id') ?? message.text('name');
  if (callId === undefined) throw badField(message.path('tool_call_id'), fieldRules.required);
  results.add({ type: 'tool_result', callId: callIds.read(callId), content: readResult(message), isError: false }, field);
}

/** Reads the content of a tool result, with images and files, which other formats support there. */
function readResult(message: StrictFields): ToolResultPart['content'] {
  const content = message.raw('content');
  if (content === undefined || typeof content === 'string') return readTexts(message);
  return message.objects('content').map((part) => {
    const type = part.oneOf('type', ['text', 'image_url', 'file']);
    return type === 'image_url' ? readImage(part) : type === 'file' ? readFile(part) : readText(part);
  });
}

function readTexts(message: StrictFields): TextPart[] {
  const content = message.raw('content');
  if (content === undefined) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return message.objects('content').map((part) => {
    part.oneOf('type', ['text']);
    return readText(part);
  });
}

function readText(part: StrictFields): TextPart {
  const text: TextPart = { type: 'text', text: part.requiredText('text') };
  const cache = part.fields('cache_control');
  if (cache !== undefined) text.cache = cache.text('ttl') === '1h' ? '1h' : '5m';
  return text;
}

function readUserParts(message: StrictFields): UserPart[] {
  const content = message.raw('content');
  if (content === undefined || typeof content === 'string') return readTexts(message);
  return message.objects('content').map(readUserPart);
}

function readUserPart(part: StrictFields): UserPart {
  const type = part.oneOf('type', ['text', 'image_url', 'input_audio', 'file']);
  switch (type) {
    case 'image_url':
      return readImage(part);
    case 'input_audio': {
      const audio = part.fields('input_audio');
      if (audio === undefined) throw badField(part.path('input_audio'), fieldRules.required);
      return { type: 'audio', data: audio.requiredText('data'), format: audio.requiredText('format') };
    }
    case 'file':
      return readFile(part);
    default:
      return readText(part);
  }
}

function readImage(part: StrictFields): ImagePart {
  const isBare = typeof part.raw('image_url') === 'string';
  const image = isBare ? part : part.fields('image_url');
  if (image === undefined) throw badField(part.path('image_url'), fieldRules.required);
  const field = isBare ? 'image_url' : 'url';
  const source = sourceOfUrl(image.requiredText(field));
  if (source === null) throw badField(image.path(field), fieldRules.url);
  const detail = isBare ? undefined : image.text('detail');
  return { type: 'image', source, ...(detail === undefined || detail === 'auto' ? {} : { detail }) };
}

function readFile(part: StrictFields): FilePart {
  const file = part.fields('file');
  if (file === undefined) throw badField(part.path('file'), fieldRules.required);
  const named = defined('name', file.text('filename'));
  const id = file.text('file_id');
  if (id !== undefined) return { type: 'file', source: { kind: 'id', id }, ...named };
  const source = sourceOfUrl(file.requiredText('file_data'));
  if (source === null) throw badField(file.path('file_data'), fieldRules.url);
  return { type: 'file', source, ...named };
}

function readAssistant(message: StrictFields, textTools: TextToolNames): AssistantPart[] {
  const parts: AssistantPart[] = [...readReasoning(message)];
  const content = message.raw('content');
  if (content === undefined || typeof content === 'string') parts.push(...readTexts(message));
  else {
    for (const part of message.objects('content')) {
      if (part.oneOf('type', ['text', 'refusal']) === 'refusal') parts.push({ type: 'refusal', text: part.requiredText('refusal') });
      else parts.push(readText(part));
    }
  }
  const refusal = message.text('refusal');
  if (refusal !== undefined && refusal !== '') parts.push({ type: 'refusal', text: refusal });
  for (const call of message.objects('tool_calls')) {
    const custom = call.fields('custom');
    const called = custom ?? call.fields('function');
    if (called === undefined) throw badField(call.path('function'), fieldRules.required);
    const name = called.requiredText('name');
    parts.push({
      type: 'tool_call',
      id: callIds.read(call.requiredText('id')),
      name,
      ...(custom === undefined ? readArguments(called, textTools.has(name)) : argumentsOfFreeText(custom.text('input') ?? '')),
      ...defined('seal', readSignatureField({ extra_content: call.raw('extra_content') })),
    });
  }
  const legacy = message.fields('function_call');
  // Some providers return an empty call, which clients send back.
  if (legacy !== undefined && (legacy.text('name') ?? legacy.text('arguments') ?? '') !== '') {
    const name = legacy.requiredText('name');
    parts.push({ type: 'tool_call', id: name, name, ...readArguments(legacy) });
  }
  return parts;
}

/** Reads the arguments of a call; those of a free text tool are the text itself. */
function readArguments(called: StrictFields, isText = false): Pick<ToolCallPart, 'arguments' | 'object'> {
  return isText ? argumentsOfFreeText(called.text('arguments') ?? '') : argumentsOfCall(called.raw('arguments'));
}

/** `reasoning_details` holds signatures in this format; without it only the text is known. */
function readReasoning(message: StrictFields): AssistantPart[] {
  const details = message.raw('reasoning_details');
  if (Array.isArray(details)) {
    return details.filter(isObject).flatMap((detail): AssistantPart[] => {
      if (typeof detail.data === 'string') return [{ type: 'sealed', seal: sealOfDetail(detail.data, detail) }];
      const reported = detail.text ?? detail.summary;
      if (typeof reported !== 'string') return [];
      const seal = typeof detail.signature === 'string' ? { seal: sealOfDetail(detail.signature, detail) } : {};
      return [{ type: 'reasoning', text: reported, ...seal }];
    });
  }
  const text = message.raw('reasoning_content') ?? message.raw('reasoning');
  return typeof text === 'string' && text !== '' ? [{ type: 'reasoning', text }] : [];
}
