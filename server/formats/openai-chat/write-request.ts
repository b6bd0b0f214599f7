// Writes parts as a chat completion request.
import { isStrictSchema } from '../strict-schema.ts';
import { dataUrl, imageType, isFilm } from '../media.ts';
import type {
  CacheHint,
  ChatRequest,
  FilePart,
  HostedTool,
  ImagePart,
  Message,
  ReasoningWish,
  TextPart,
  ToolChoice,
  ToolResultPart,
  UserPart,
} from '../parts.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { withoutRefusedRetention } from '../prompt-cache.ts';
import { functionParameters } from '../function-parameters.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { CacheMarks, ThinkingWords, ThoughtsRule } from '../provider-traits.ts';
import { effortOf, fieldOf, isAsWished, reasons, takesEffort } from '../reasoning-models.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { openaiUserId } from '../user-id.ts';
import { cacheControl, withMarks } from './cache-marks.ts';
import { isSearchModel } from './hosted-tools.ts';
import { carriedFields } from './format-fields.ts';
import { writeThinkingFields } from './thinking-fields.ts';
import { writeThoughts } from './thoughts-back.ts';

type Json = Record<string, unknown>;

const dialect = 'OpenAI Chat Completions';

/** @throws {AppError} `untranslatable` */
export function writeRequest(requested: ChatRequest, options: WriteOptions): WrittenRequest {
  const losses = new Losses(requested.clientFields);
  const { request, isLost } = withMarks(requested, options.cacheMarks);
  const { knownAs = options.upstreamModel } = options;
  const extras = losses.carry(withoutRefusedRetention(request.extras, knownAs, losses), carriedFields, dialect);
  const isReasoning = reasons(knownAs);
  const body: Json = {
    ...extras,
    model: options.upstreamModel,
    messages: request.messages.flatMap((message) => writeMessage(message, options, losses)),
  };
  if (request.maxTokens !== undefined) body[isReasoning ? 'max_completion_tokens' : 'max_tokens'] = request.maxTokens;
  if (request.temperature !== undefined) body.temperature = request.temperature;
  if (request.topP !== undefined) body.top_p = request.topP;
  if (request.topK !== undefined) losses.drop('top_k');
  if (request.stop !== undefined) body.stop = request.stop.length === 1 ? request.stop[0] : request.stop;
  if (request.userId !== undefined) body.user = openaiUserId(request.userId);
  if (request.responseFormat !== undefined) body.response_format = writeFormat(request.responseFormat);
  writeTools(body, request, losses);
  if (request.reasoning !== undefined) writeReasoning(body, request.reasoning, { knownAs, words: options.thinkingWords }, losses);
  if (request.isStream) {
    body.stream = true;
    if (options.forceUsage) body.stream_options = { include_usage: true };
  }
  if (isLost) losses.drop('cache_hints');
  const { thoughts } = options;
  return {
    body,
    dropped: losses.names,
    ...(thoughts?.isDoubtful === true && hasThoughts(body) ? { doubtful: thoughts.fields.map((name) => ({ name })) } : {}),
  };
}

function hasThoughts({ messages }: Json): boolean {
  return Array.isArray(messages) && messages.some((message: Json) => 'reasoning_content' in message || 'reasoning' in message);
}

function writeFormat(format: NonNullable<ChatRequest['responseFormat']>): Json {
  if (format.kind === 'json') return { type: 'json_object' };
  const { schema, name = 'response', description, isStrict = isStrictSchema(schema) } = format;
  return { type: 'json_schema', json_schema: { name, schema, strict: isStrict, ...(description === undefined ? {} : { description }) } };
}

function writeTools(body: Json, request: ChatRequest, losses: Losses): void {
  const { tools, toolChoice, parallelToolCalls } = request;
  const isSearch = isSearchModel(body.model);
  const [search] = writeHostedTools(request, { losses, title: dialect, write: (tool) => (isSearch ? writeSearch(tool, losses) : null) });
  if (search !== undefined) body.web_search_options = search;
  // A tool choice without tools is rejected.
  if (tools.length === 0) return;
  body.tools = tools.map(({ name, description, parameters, isStrict, cache }) => ({
    type: 'function',
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      parameters: functionParameters(parameters),
      ...(isStrict === undefined ? {} : { strict: isStrict }),
    },
    ...cacheControl(cache),
  }));
  if (toolChoice !== undefined && toolChoice.kind !== 'hosted') body.tool_choice = writeChoice(toolChoice);
  if (parallelToolCalls !== undefined) body.parallel_tool_calls = parallelToolCalls;
}

/** Search models have no other hosted tool. https://platform.openai.com/docs/guides/tools-web-search?api-mode=chat */
function writeSearch({ kind, origin, object, options, field }: HostedTool, losses: Losses): Json | null {
  if (kind !== 'web_search') return null;
  if (origin === 'openai-chat') return { ...object };
  const { allowedDomains, blockedDomains, location, contextSize } = options;
  if (allowedDomains !== undefined) losses.dropNamed(`${field}.allowed_domains`);
  if (blockedDomains !== undefined) losses.dropNamed(`${field}.blocked_domains`);
  return {
    ...(location === undefined ? {} : { user_location: { type: 'approximate', approximate: location } }),
    ...(contextSize === undefined ? {} : { search_context_size: contextSize }),
  };
}

function writeChoice(choice: Exclude<ToolChoice, { kind: 'hosted' }>): unknown {
  if (choice.kind === 'tool') return toolNamed(choice.name);
  const { kind, allowed } = choice;
  if (allowed === undefined || kind === 'none') return kind;
  return { type: 'allowed_tools', allowed_tools: { mode: kind, tools: allowed.map(toolNamed) } };
}

function toolNamed(name: string): Json {
  return { type: 'function', function: { name } };
}

interface ThinkingModel {
  knownAs: string;
  words: ThinkingWords | undefined;
}

function writeReasoning(body: Json, wish: ReasoningWish, { knownAs: model, words }: ThinkingModel, losses: Losses): void {
  const facts = words === undefined ? undefined : factsOf(model);
  if (words !== undefined && facts !== undefined) {
    const { fields, isAsWished: isSaid } = writeThinkingFields(wish, facts, words);
    Object.assign(body, fields);
    if (!isSaid) losses.drop(fieldOf(wish));
    return;
  }
  if (!takesEffort(model)) {
    // Turning thinking off needs no report for models without it.
    if (wish.isOn) losses.drop(fieldOf(wish));
    return;
  }
  const effort = effortOf(wish, model);
  if (!isAsWished(wish, effort)) losses.drop(fieldOf(wish));
  if (effort !== null && effort !== undefined) body.reasoning_effort = effort;
}

function writeMessage(message: Message, { thoughts, cacheMarks }: WriteOptions, losses: Losses): Json[] {
  if (message.role === 'system') return message.content.length === 0 ? [] : [{ role: 'system', content: joined(message.content) }];
  if (message.role === 'assistant') return writeAssistant(message, thoughts, losses);
  return writeUser(message, cacheMarks?.results);
}

/** Tool results are separate messages and come first; their images follow in the user message. */
function writeUser(message: Extract<Message, { role: 'user' }>, marked?: CacheMarks['results']): Json[] {
  const messages: Json[] = [];
  const rest: Exclude<UserPart, ToolResultPart>[] = [];
  for (const part of message.content) {
    if (part.type !== 'tool_result') {
      rest.push(part);
      continue;
    }
    const texts = part.content.filter((inner) => inner.type === 'text');
    const own = marked === 'message' ? cacheControl(part.cache ?? texts.findLast(({ cache }) => cache !== undefined)?.cache) : {};
    const content = marked === 'message' ? plainJoined(texts) : joined(texts, part.cache);
    messages.push({ role: 'tool', tool_call_id: part.callId, content, ...own });
    for (const inner of part.content) if (inner.type !== 'text') rest.push(inner);
  }
  if (rest.length > 0) {
    const named = message.name === undefined ? {} : { name: message.name };
    messages.push({ role: 'user', content: writeParts(rest, message.field), ...named });
  }
  return messages;
}

function writeParts(parts: readonly Exclude<UserPart, ToolResultPart>[], field: string): unknown {
  const [first] = parts;
  if (parts.length === 1 && first?.type === 'text' && first.cache === undefined) return first.text;
  return parts.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text, ...cacheControl(part.cache) };
    if (part.type === 'audio') return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    return part.type === 'image' ? writeImage(part, field) : writeFile(part, field);
  });
}

function writeImage({ source, detail }: ImagePart, field: string): Json {
  if (source.kind === 'id') throw untranslatable(field, dialect);
  const url = source.kind === 'url' ? source.url : dataUrl(imageType(source.data, source.mediaType), source.data);
  return { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } };
}

function writeFile({ source, name }: FilePart, field: string): Json {
  if (source.kind === 'text') return { type: 'text', text: name === undefined ? source.text : `${name}\n\n${source.text}` };
  // A file id is valid at its own provider only.
  if (source.kind !== 'base64' || isFilm(source.mediaType)) throw untranslatable(field, dialect);
  return { type: 'file', file: { filename: name ?? 'document.pdf', file_data: dataUrl(source.mediaType, source.data) } };
}

function writeAssistant(
  { content: parts, name }: Extract<Message, { role: 'assistant' }>,
  thoughts: ThoughtsRule | undefined,
  losses: Losses,
): Json[] {
  const texts = parts.filter((part) => part.type === 'text');
  const refusals = parts.filter((part) => part.type === 'refusal');
  const calls = parts.filter((part) => part.type === 'tool_call');
  const thought = writeThoughts(parts, thoughts, losses);
  if (parts.some((part) => part.type === 'hosted_call' || part.type === 'hosted_result')) losses.drop('provider_tool_results');
  if (texts.length + refusals.length + calls.length === 0) return [];
  const message: Json = { role: 'assistant', content: texts.length === 0 ? null : joined(texts), ...thought };
  if (name !== undefined) message.name = name;
  if (refusals.length > 0) message.refusal = refusals.map(({ text }) => text).join('\n');
  if (calls.length > 0) {
    message.tool_calls = calls.map((call) => ({ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }));
  }
  return [message];
}

/** Joins texts to one; with cache marks, writes a list. */
function joined(parts: readonly TextPart[], behind?: CacheHint): unknown {
  if (behind === undefined && parts.every(({ cache }) => cache === undefined)) return plainJoined(parts);
  const texts = parts.length === 0 ? [{ type: 'text' as const, text: '' }] : parts;
  return texts.map(({ text, cache }, index) => ({
    type: 'text',
    text,
    ...cacheControl(index === texts.length - 1 ? (behind ?? cache) : cache),
  }));
}

function plainJoined(parts: readonly TextPart[]): string {
  return parts.map(({ text }) => text).join('\n');
}
