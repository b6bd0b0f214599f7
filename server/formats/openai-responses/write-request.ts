// Writes parts as a Responses request. Nothing is stored at the provider: thinking is sent encrypted.
import { isStrictSchema } from '../strict-schema.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { withoutRefusedRetention } from '../prompt-cache.ts';
import { functionParameters } from '../function-parameters.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { ChatRequest, Message, Tool, ToolChoice } from '../parts.ts';
import { effortOf, fieldOf, isAsWished, reasons, takesEffort } from '../reasoning-models.ts';
import type { DoubtfulField, WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './format-fields.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { openaiUserId } from '../user-id.ts';
import { hostedTypes, writeHostedTool } from './write-hosted-tool.ts';
import { title } from './title.ts';
import { writeItems } from './write-items.ts';

type Json = Record<string, unknown>;

/** Minimum output limit; smaller ones are rejected. https://platform.openai.com/docs/api-reference/responses/create */
export const leastMaxTokens = 16;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, options: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const { knownAs = options.upstreamModel } = options;
  const isReasoning = reasons(knownAs);
  if (request.stop !== undefined) {
    if (!isReasoning) throw untranslatable(request.clientFields.stop?.name ?? 'stop', title);
    // Thinking models reject stop sequences in any format, so no other channel would accept them.
    losses.drop('stop');
  }
  const extras = losses.carry(withoutRefusedRetention(request.extras, knownAs, losses), carriedFields, title);
  const { instructions, messages } = splitInstructions(request.messages);
  const body: Json = { ...extras, model: options.upstreamModel };
  if (instructions !== '') body.instructions = instructions;
  const textTools = new Set(request.tools.flatMap(({ name, freeText }) => (freeText === undefined ? [] : [name])));
  body.input = writeItems(messages, { textTools, takesPlainThoughts: options.takesPlainThoughts === true }, losses);
  body.store = false;
  const included = Array.isArray(extras.include) ? extras.include : [];
  if (isReasoning) body.include = [...included, 'reasoning.encrypted_content'];
  if (request.maxTokens !== undefined) body.max_output_tokens = Math.max(leastMaxTokens, request.maxTokens);
  if (request.temperature !== undefined) body.temperature = request.temperature;
  if (request.topP !== undefined) body.top_p = request.topP;
  if (request.topK !== undefined) losses.drop('top_k');
  if (request.userId !== undefined) body.user = openaiUserId(request.userId);
  if (request.responseFormat !== undefined) body.text = { ...asObject(body.text), format: writeFormat(request.responseFormat) };
  writeTools(body, request, losses);
  if (request.reasoning !== undefined) writeReasoning(body, request.reasoning, knownAs, losses);
  const doubtful = writeSummary(body, request.reasoning, options, losses);
  if (request.isStream) body.stream = true;
  if (hasCacheHints(request)) losses.drop('cache_hints');
  return { body, dropped: losses.names, ...(doubtful === undefined ? {} : { doubtful: [doubtful] }) };
}

/** Splits leading system messages off, for `instructions`. */
function splitInstructions(messages: readonly Message[]): { instructions: string; messages: readonly Message[] } {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const end = first < 0 ? messages.length : first;
  // Without other messages the input would be empty.
  if (end === messages.length) return { instructions: '', messages };
  const texts = messages.slice(0, end).flatMap(({ content }) => content.map((part) => ('text' in part ? part.text : '')));
  return { instructions: texts.join('\n'), messages: messages.slice(end) };
}

function writeFormat(format: NonNullable<ChatRequest['responseFormat']>): Json {
  if (format.kind === 'json') return { type: 'json_object' };
  const { schema, name = 'response', description, isStrict = isStrictSchema(schema) } = format;
  return { type: 'json_schema', name, schema, strict: isStrict, ...(description === undefined ? {} : { description }) };
}

function writeTools(body: Json, request: ChatRequest, losses: Losses): void {
  const { tools, toolChoice, parallelToolCalls, hostedTools = [] } = request;
  const hosted = writeHostedTools(request, { losses, title, origin: 'openai-responses', write: (tool) => writeHostedTool(tool, losses) });
  // A tool choice without tools is rejected.
  if (tools.length + hosted.length === 0) return;
  body.tools = [...tools.map(writeTool), ...hosted];
  const most = hostedTools.flatMap(({ options }) => options.mostCalls ?? []);
  if (hosted.length > 0 && most.length > 0) body.max_tool_calls ??= Math.max(...most);
  if (toolChoice !== undefined) body.tool_choice = writeChoice(toolChoice, tools);
  if (parallelToolCalls !== undefined) body.parallel_tool_calls = parallelToolCalls;
}

function writeTool({ name, description, parameters, isStrict, freeText }: Tool): Json {
  const about = freeText === undefined ? description : freeText.description;
  const described = about === undefined ? {} : { description: about };
  if (freeText !== undefined) {
    const { grammar } = freeText;
    return { type: 'custom', name, ...described, format: grammar === undefined ? { type: 'text' } : { type: 'grammar', ...grammar } };
  }
  return {
    type: 'function',
    name,
    ...described,
    parameters: functionParameters(parameters),
    // Written always: the default is true in this format and false in the others.
    strict: isStrict ?? false,
  };
}

function writeChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  if (choice.kind === 'hosted') return { type: hostedTypes[choice.hosted] ?? choice.hosted };
  const texts = new Set(tools.flatMap(({ name, freeText }) => (freeText === undefined ? [] : [name])));
  const named = (name: string) => ({ type: texts.has(name) ? 'custom' : 'function', name });
  if (choice.kind === 'tool') return named(choice.name);
  const { kind, allowed } = choice;
  return allowed === undefined || kind === 'none' ? kind : { type: 'allowed_tools', mode: kind, tools: allowed.map(named) };
}

function writeReasoning(body: Json, wish: NonNullable<ChatRequest['reasoning']>, model: string, losses: Losses): void {
  if (!takesEffort(model)) {
    // A model that cannot think satisfies a request to turn thinking off.
    if (wish.isOn) losses.drop(fieldOf(wish));
    return;
  }
  const effort = effortOf(wish, model);
  if (!isAsWished(wish, effort)) losses.drop(fieldOf(wish));
  if (effort !== null && effort !== undefined) body.reasoning = { effort };
}

/**
 * Field that requests summaries of thinking. Unverified organizations are refused them, and some hosts do not support it.
 * https://platform.openai.com/docs/guides/reasoning#reasoning-summaries
 */
const summaries: DoubtfulField = { name: 'reasoning.summary', refusal: /\breasoning\W{1,8}summar(?:y|ies)\b|^summary$/i };

/** Requests summaries if the caller wants visible thinking. Returns the field that may be rejected; undefined if none is sent. */
function writeSummary(body: Json, wish: ChatRequest['reasoning'], options: WriteOptions, losses: Losses): DoubtfulField | undefined {
  if (wish?.shownBy === undefined || !wish.isOn) return undefined;
  // An unknown model may think.
  if (factsOf(options.knownAs ?? options.upstreamModel)?.thinking === null) return undefined;
  if (options.withoutFields?.has(summaries.name) === true) {
    losses.dropNamed(wish.shownBy);
    return undefined;
  }
  body.reasoning = { ...asObject(body.reasoning), summary: 'auto' };
  return summaries;
}

function hasCacheHints({ messages, tools }: ChatRequest): boolean {
  return (
    tools.some(({ cache }) => cache !== undefined) ||
    messages.some(({ content }) => content.some((part) => 'cache' in part && part.cache !== undefined))
  );
}

function asObject(value: unknown): Json {
  return isObject(value) ? value : {};
}
