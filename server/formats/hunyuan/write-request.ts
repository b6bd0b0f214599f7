// Writes parts as a request of Hunyuan. https://cloud.tencent.com/document/product/1729/105701
import { functionParameters } from '../function-parameters.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { splitInstructions } from '../instructions.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { ChatRequest, TextPart, Tool } from '../parts.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeMessages } from './write-messages.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, { upstreamModel: model }: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  const { instructions, turns } = splitInstructions(request.messages);
  const system = systemOf(instructions, request, losses);
  const reported = system === '' ? [] : [{ Role: 'system', Content: system }];
  const body: Json = { Model: model, Messages: [...reported, ...writeMessages(turns, losses)], Stream: request.isStream };
  Object.assign(body, samplingOf(request, losses), writeTools(request, losses), extras);
  const { reasoning } = request;
  // Only one model can turn thinking off.
  if (reasoning?.isOn === false && /a13b/i.test(model)) body['EnableThinking'] = false;
  if (reasoning?.isOn === true) losses.drop(reasoning.budgetTokens === undefined ? 'effort' : 'thinking_budget');
  if (request.userId !== undefined) losses.drop('user_id');
  return { body, dropped: losses.names };
}

function samplingOf({ maxTokens, temperature, topP, topK, stop }: ChatRequest, losses: Losses): Json {
  if (maxTokens !== undefined) losses.drop('token_limit');
  if (topK !== undefined) losses.drop('top_k');
  return {
    ...(topP === undefined ? {} : { TopP: Math.min(1, topP) }),
    ...(temperature === undefined ? {} : { Temperature: Math.min(2, temperature) }),
    ...(stop === undefined ? {} : { Stop: stop }),
  };
}

/** Without a JSON mode, a schema becomes an instruction. */
function systemOf(parts: readonly TextPart[], { responseFormat: format }: ChatRequest, losses: Losses): string {
  if (parts.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  const texts = parts.map(({ text }) => text);
  if (format?.kind === 'json') losses.drop('json_without_schema');
  if (format?.kind === 'schema')
    texts.push(`Answer with JSON that matches this schema, and nothing else:\n${JSON.stringify(format.schema)}`);
  return texts.filter((text) => text !== '').join('\n');
}

function writeTools(request: ChatRequest, losses: Losses): Json {
  const { tools, toolChoice: choice, parallelToolCalls } = request;
  writeHostedTools(request, { losses, title, write: () => null });
  if (choice?.kind === 'hosted') throw untranslatable(choice.field, title);
  if (tools.length === 0) return {};
  if (tools.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  if (parallelToolCalls === false && choice?.kind !== 'none') losses.drop('single_calls');
  const name = choice?.kind === 'tool' ? choice.name : choice?.kind === 'required' && tools.length === 1 ? tools[0]?.name : undefined;
  const forced = tools.find((tool) => tool.name === name);
  if (choice?.kind === 'required' && forced === undefined) losses.drop('forced_tool');
  return {
    Tools: tools.map(writeTool),
    ...(choice?.kind === 'none' ? { ToolChoice: 'none' } : {}),
    ...(forced === undefined ? {} : { ToolChoice: 'custom', CustomTool: writeTool(forced) }),
  };
}

/** Parameters are a JSON text. */
function writeTool({ name, description, parameters }: Tool): Json {
  const plain = { type: 'object', ...functionParameters(parameters) };
  const described = description === undefined ? {} : { Description: description };
  return { Type: 'function', Function: { Name: name, Parameters: JSON.stringify(plain), ...described } };
}
