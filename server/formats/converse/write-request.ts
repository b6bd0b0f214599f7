// Writes parts as a Converse request. Model and stream flag are in the path.
import { isObject } from '#server/framing/loose-json.ts';
import { functionParameters } from '../function-parameters.ts';
import { describedSchema } from '../described-schema.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { splitInstructions } from '../instructions.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { ChatRequest, TextPart, Tool } from '../parts.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { isNova, thinkingFields } from './models.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { cachePoint, type Message, writeMessages } from './write-messages.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, { upstreamModel: model }: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  const { instructions, turns } = splitInstructions(request.messages);
  const preservesMarked = isNova(model);
  const messages = writeMessages(turns, { losses, preservesMarked });
  const body: Json = { ...extras, messages };
  const system = writeSystem(instructions, { losses, preservesMarked });
  if (system.length > 0) body.system = system;
  const config = writeConfig(request);
  if (Object.keys(config).length > 0) body.inferenceConfig = config;
  const toolConfig = writeTools(request, messages, losses);
  if (toolConfig !== null) body.toolConfig = toolConfig;
  const further = writeFurther(request, model, losses);
  if (Object.keys(further).length > 0) body.additionalModelRequestFields = further;
  const format = writeFormat(request, losses);
  if (format !== null) body.outputConfig = format;
  if (request.userId !== undefined) losses.drop('user_id');
  return { body, dropped: losses.names };
}

function writeSystem(parts: readonly TextPart[], { losses, preservesMarked }: { losses: Losses; preservesMarked: boolean }): Json[] {
  return parts.flatMap(({ text, cache }): Json[] => {
    if (text === '') return [];
    if (cache === undefined) return [{ text }];
    if (preservesMarked) return [{ text }, cachePoint];
    losses.drop('cache_hints');
    return [{ text }];
  });
}

/** Sampling values are limited to 0 to 1. */
function writeConfig({ maxTokens, temperature, topP, stop }: ChatRequest): Json {
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature: Math.min(1, temperature) }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stopSequences: stop }),
  };
}

/** Returns null if there are no tools. */
function writeTools(request: ChatRequest, messages: readonly Message[], losses: Losses): Json | null {
  const { toolChoice: choice, parallelToolCalls } = request;
  writeHostedTools(request, { losses, title, write: () => null });
  if (choice?.kind === 'hosted') throw untranslatable(choice.field, title);
  // Calls of earlier turns are rejected without tools.
  const isNone = choice?.kind === 'none';
  const offered = isNone ? [] : request.tools;
  const tools = offered.length > 0 ? offered : calledTools(messages);
  if (tools.length === 0) return null;
  if (tools.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  if (parallelToolCalls === false && !isNone) losses.drop('single_calls');
  const toolChoice =
    offered.length === 0 ? undefined : choice?.kind === 'tool' ? { tool: { name: choice.name } } : choices[choice?.kind ?? 'auto'];
  return { tools: tools.map(writeTool), ...(toolChoice === undefined ? {} : { toolChoice }) };
}

/** The default choice is omitted: some models reject any. */
const choices: Readonly<Record<'auto' | 'none' | 'required', Json | undefined>> = {
  auto: undefined,
  none: undefined,
  required: { any: {} },
};

function writeTool({ name, description, parameters }: Tool): Json {
  const described = description === undefined || description === '' ? {} : { description };
  const json = { type: 'object', ...functionParameters(parameters) };
  return { toolSpec: { name, ...described, inputSchema: { json } } };
}

function calledTools(messages: readonly Message[]): Tool[] {
  const names = new Set<string>();
  for (const { content } of messages) {
    for (const { toolUse } of content) if (isObject(toolUse) && typeof toolUse.name === 'string') names.add(toolUse.name);
  }
  return [...names].map((name) => ({ name, parameters: {} }));
}

/** Writes fields that only some model families have. */
function writeFurther({ topK, reasoning }: ChatRequest, model: string, losses: Losses): Json {
  const fields: Json = {};
  if (topK !== undefined) {
    if (isNova(model)) fields.inferenceConfig = { topK };
    else losses.drop('top_k');
  }
  const thinking = reasoning === undefined ? null : thinkingFields(model, reasoning);
  if (thinking !== null) Object.assign(fields, thinking);
  else if (reasoning?.isOn === true) losses.drop(reasoning.budgetTokens === undefined ? 'effort' : 'thinking_budget');
  return fields;
}

function writeFormat({ responseFormat: format }: ChatRequest, losses: Losses): Json | null {
  if (format === undefined) return null;
  if (format.kind === 'json') {
    losses.drop('json_without_schema');
    return null;
  }
  // https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
  const { schema, name, description } = format;
  const named = { ...(name === undefined ? {} : { name }), ...(description === undefined ? {} : { description }) };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(describedSchema(schema)), ...named } } } };
}
