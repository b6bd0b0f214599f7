// Writes parts as a Messages request.
import { isObject } from '#server/framing/loose-json.ts';
import { functionParameters } from '../function-parameters.ts';
import { describedSchema } from '../described-schema.ts';
import { imageType } from '../media.ts';
import type { AssistantPart, CacheHint, ChatRequest, FilePart, ImagePart, Message, TextPart, ToolResultPart, UserPart } from '../parts.ts';
import { splitInstructions, type Turn } from '../instructions.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { ThoughtsRule } from '../provider-traits.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './format-fields.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { writeHostedTool } from './write-hosted-tool.ts';
import { defaultMaxTokens } from './options.ts';
import { isWorthMarking } from '../prompt-marks.ts';
import { claudeUserId } from '../user-id.ts';
import { markPrompt } from './mark-prompt.ts';
import { fieldOf } from '../reasoning-models.ts';
import { objectOfCall } from '../tool-arguments.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { dropSampling, fitSampling } from './sampling.ts';
import { thinksAsWished, writeThinking } from './thinking.ts';
import { thinkingBlock } from './thoughts-back.ts';

type Json = Record<string, unknown>;

interface WrittenTurn {
  role: Turn['role'];
  content: Json[];
}

const dialect = 'Claude Messages';
/** Placeholder where the format requires a text. */
const filler = '...';

export function writeRequest(request: ChatRequest, options: WriteOptions): WrittenRequest {
  const { knownAs = options.upstreamModel } = options;
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, dialect);
  const { instructions, turns } = splitInstructions(request.messages);
  const body: Json = {
    ...extras,
    model: options.upstreamModel,
    max_tokens: request.maxTokens ?? defaultMaxTokens(options.settings, options.upstreamModel, knownAs),
    messages: writeTurns(turns, losses, options.thoughts),
  };
  if (instructions.length > 0) body.system = writeSystem(instructions);
  if (request.temperature !== undefined) body.temperature = request.temperature;
  if (request.topP !== undefined) body.top_p = request.topP;
  if (request.topK !== undefined) body.top_k = request.topK;
  if (request.stop !== undefined) body.stop_sequences = request.stop;
  if (request.userId !== undefined) body.metadata = { user_id: claudeUserId(request.userId) };
  writeTools(body, request, losses);
  if (factsOf(knownAs)?.takesForcedTools === false && forcesTool(body)) {
    const { name: _name, ...choice } = { name: '', ...asObject(body.tool_choice) };
    body.tool_choice = { ...choice, type: 'auto' };
    losses.drop('forced_tool');
  }
  writeFormat(body, request, losses);
  fitSampling(body, knownAs, losses);
  writeReasoning(body, request, { knownAs, losses });
  if (typeof body.temperature === 'number') body.temperature = Math.min(1, body.temperature);
  if (request.isStream) body.stream = true;
  if (options.marksPrompt === true && isWorthMarking(request)) markPrompt(body, knownAs);
  return { body, dropped: losses.names };
}

function writeSystem(parts: readonly TextPart[]): unknown {
  if (parts.every(({ cache }) => cache === undefined)) return parts.map(({ text }) => text).join('\n');
  return parts.map((part) => ({ type: 'text', text: part.text, ...cacheControl(part.cache) }));
}

function cacheControl(cache: CacheHint | undefined): Json {
  return cache === undefined ? {} : { cache_control: cache === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } };
}

function writeTools(body: Json, request: ChatRequest, losses: Losses): void {
  const { tools, toolChoice, parallelToolCalls } = request;
  const hosted = writeHostedTools(request, { losses, title: dialect, origin: 'claude', write: (tool) => writeHostedTool(tool, losses) });
  if (tools.length + hosted.length === 0) return;
  const own = tools.map(({ name, description, parameters, isStrict, cache }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: inputSchema(parameters, isStrict),
    ...(isStrict === true ? { strict: true } : {}),
    ...cacheControl(cache),
  }));
  body.tools = [...own, ...hosted];
  const parallel = parallelToolCalls === false && toolChoice?.kind !== 'none' ? { disable_parallel_tool_use: true } : {};
  if (toolChoice?.kind === 'hosted') body.tool_choice = { type: 'tool', name: toolChoice.hosted, ...parallel };
  else if (toolChoice?.kind === 'tool') body.tool_choice = { type: 'tool', name: toolChoice.name, ...parallel };
  else if (toolChoice !== undefined || parallelToolCalls === false) {
    const kind = toolChoice?.kind ?? 'auto';
    body.tool_choice = { type: kind === 'required' ? 'any' : kind, ...parallel };
  }
}

function inputSchema(parameters: Readonly<Json>, isStrict: boolean | undefined): Json {
  const schema = { type: 'object', ...functionParameters(parameters) };
  return isStrict === true ? { type: 'object', ...describedSchema(schema) } : schema;
}

function writeFormat(body: Json, { responseFormat }: ChatRequest, losses: Losses): void {
  if (responseFormat === undefined) return;
  // The format has no JSON mode without a schema: the caller's prompt must request JSON.
  if (responseFormat.kind === 'json') losses.drop('json_without_schema');
  else body.output_config = { format: { type: 'json_schema', schema: describedSchema(responseFormat.schema) } };
}

/** Reports whether the tool choice forces a call. */
function forcesTool({ tool_choice: choice }: Json): boolean {
  return isObject(choice) && (choice.type === 'any' || choice.type === 'tool');
}

function writeReasoning(body: Json, { reasoning, messages }: ChatRequest, { knownAs, losses }: { knownAs: string; losses: Losses }): void {
  if (reasoning === undefined) return;
  const fields = writeThinking(knownAs, reasoning, Number(body.max_tokens));
  // Thinking is rejected with a forced tool and, if it has a budget, with results of calls whose thinking is lost. Adaptive
  // models accept the latter, and turning thinking off would miss their cache. https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking#validation-changes
  const isReported = fields?.thinking !== undefined && fields.thinking.type !== 'disabled';
  const isUnsigned = fields?.thinking?.type === 'enabled' && hasUnsignedCalls(messages);
  if (fields === null || (isReported && (forcesTool(body) || isUnsigned))) {
    if (reasoning.isOn || isReported) losses.drop(fieldOf(reasoning));
    return;
  }
  if (!thinksAsWished(reasoning, fields)) losses.drop(fieldOf(reasoning));
  const { output_config: output, ...rest } = fields;
  Object.assign(body, rest);
  if (output !== undefined) body.output_config = { ...asObject(body.output_config), ...output };
  if (!isReported) return;
  // Thinking models reject sampling fields.
  dropSampling(body, losses);
  if (fields.thinking?.type === 'enabled') body.temperature = 1;
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Reports whether the current turn began with calls whose signed thinking is missing. */
function hasUnsignedCalls(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) => message.role === 'assistant');
  if (last === undefined || messages.at(-1)?.role !== 'user') return false;
  const isSigned = last.content.some((part) => (part.type === 'sealed' || part.type === 'reasoning') && part.seal?.origin === 'claude');
  const answersCalls = messages.at(-1)?.content.some((part) => part.type === 'tool_result') === true;
  return answersCalls && !isSigned;
}

/** Writes turns that alternate, beginning with the user's; none is empty. */
function writeTurns(messages: readonly Turn[], losses: Losses, thoughts: ThoughtsRule | undefined): Json[] {
  const turns: WrittenTurn[] = [];
  for (const message of messages) {
    if (message.name !== undefined) losses.drop('names');
    const content =
      message.role === 'user'
        ? message.content.flatMap((part) => writeUserPart(part, message.field, losses))
        : message.content.flatMap((part) => writeAssistantPart(part, losses, thoughts));
    if (content.length === 0) continue;
    const last = turns.at(-1);
    // Consecutive texts are not joined, so that the cached prompt does not change.
    if (last?.role === message.role) last.content.push(...content);
    else turns.push({ role: message.role, content });
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [{ type: 'text', text: filler }] });
  return turns.map(({ role, content }) => ({ role, content: resultsFirst(role, content) })).map(shortened);
}

function isPlainText(block: Json | undefined): block is Json {
  return block?.type === 'text' && block.cache_control === undefined;
}

/** Moves tool results to the start of their turn, as the format requires. */
function resultsFirst(role: WrittenTurn['role'], content: readonly Json[]): readonly Json[] {
  if (role === 'assistant' || !content.some(({ type }) => type === 'tool_result')) return content;
  return [...content.filter(({ type }) => type === 'tool_result'), ...content.filter(({ type }) => type !== 'tool_result')];
}

/** Writes a single plain text as a string. */
function shortened({ role, content }: { role: string; content: readonly Json[] }): Json {
  const [only] = content;
  return { role, content: content.length === 1 && isPlainText(only) && only.text !== filler ? only.text : content };
}

function writeText({ text, cache }: TextPart): Json[] {
  return text === '' ? [] : [{ type: 'text', text, ...cacheControl(cache) }];
}

function writeUserPart(part: UserPart, field: string, losses: Losses): Json[] {
  switch (part.type) {
    case 'text':
      return writeText(part);
    case 'audio':
      throw untranslatable(field, dialect);
    case 'tool_result':
      return [writeResult(part, field, losses)];
    default:
      return [writeMedia(part, field, losses)];
  }
}

function writeMedia(part: ImagePart | FilePart, field: string, losses: Losses): Json {
  if (part.type === 'image') {
    if (part.detail !== undefined) losses.drop('image_detail');
    return { type: 'image', source: writeSource(part.source, field, true), ...cacheControl(part.cache) };
  }
  const { source, name } = part;
  const title = name === undefined ? {} : { title: name };
  const plain =
    source.kind === 'base64' && source.mediaType.startsWith('text/') ? Buffer.from(source.data, 'base64').toString('utf8') : null;
  const written =
    plain !== null
      ? { type: 'text', media_type: 'text/plain', data: plain }
      : source.kind === 'text'
        ? { type: 'text', media_type: 'text/plain', data: source.text }
        : writeSource(source, field, false);
  return { type: 'document', source: written, ...title, ...cacheControl(part.cache) };
}

function writeSource(source: ImagePart['source'], field: string, isImage: boolean): Json {
  // A file id is valid only in the account it was uploaded to.
  if (source.kind === 'id') throw untranslatable(field, dialect);
  if (source.kind === 'url') return { type: 'url', url: source.url };
  if (!isImage && source.mediaType !== 'application/pdf') throw untranslatable(field, dialect);
  return { type: 'base64', media_type: isImage ? imageType(source.data, source.mediaType) : source.mediaType, data: source.data };
}

function writeResult(part: ToolResultPart, field: string, losses: Losses): Json {
  const content = part.content.flatMap((inner) => (inner.type === 'text' ? writeText(inner) : [writeMedia(inner, field, losses)]));
  const [only] = content;
  return {
    type: 'tool_result',
    tool_use_id: part.callId,
    content: content.length === 1 && only?.type === 'text' ? only.text : content,
    ...(part.isError ? { is_error: true } : {}),
    ...cacheControl(part.cache),
  };
}

/**
 * Writes one part of an assistant turn.
 * @param thoughts rule of another vendor with this format, which does not sign thinking
 */
function writeAssistantPart(part: AssistantPart, losses: Losses, thoughts: ThoughtsRule | undefined): Json[] {
  switch (part.type) {
    case 'text':
      return writeText(part);
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      // Thinking without a signature is rejected.
      if (part.seal?.origin === 'claude') return [{ type: 'thinking', thinking: part.text, signature: part.seal.data }];
      if (thoughts !== undefined && (part.seal === undefined || part.seal.data === ''))
        return part.text === '' ? [] : [thinkingBlock(part.text)];
      losses.drop(part.seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
      return [];
    case 'sealed':
      if (part.seal.origin === 'claude') return [{ type: 'redacted_thinking', data: part.seal.data }];
      losses.drop('foreign_thoughts');
      return [];
    case 'tool_call':
      if (part.seal !== undefined) losses.drop('foreign_thoughts');
      return [{ type: 'tool_use', id: part.id, name: part.name, input: objectOfCall(part), ...cacheControl(part.cache) }];
    case 'hosted_call':
    case 'hosted_result':
      if (part.origin === 'claude') return [{ ...part.object }];
      losses.drop('provider_tool_results');
      return [];
  }
}
