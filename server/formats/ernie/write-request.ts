// Writes parts as a request of ERNIE. The model is in the path.
import { functionParameters } from '../function-parameters.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { splitInstructions } from '../instructions.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { ChatRequest, TextPart, Tool } from '../parts.ts';
import type { WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeMessages } from './write-messages.ts';

type Json = Record<string, unknown>;

/** Smaller limits are rejected. */
export const leastMaxTokens = 2;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  const { instructions, turns } = splitInstructions(request.messages);
  const body: Json = { ...extras, messages: writeMessages(turns, losses), ...samplingOf(request, losses), ...writeTools(request, losses) };
  const system = systemOf(instructions, request, losses);
  if (system !== '') body['system'] = system;
  if (request.responseFormat !== undefined) body['response_format'] = 'json_object';
  if (request.userId !== undefined) body['user_id'] = request.userId;
  if (request.isStream) body['stream'] = true;
  const { reasoning } = request;
  if (reasoning?.isOn === true) losses.drop(reasoning.budgetTokens === undefined ? 'effort' : 'thinking_budget');
  return { body, dropped: losses.names };
}

/** Temperatures of 0 and above 1 are rejected. */
function samplingOf({ maxTokens, temperature, topP, topK, stop }: ChatRequest, losses: Losses): Json {
  if (topK !== undefined) losses.drop('top_k');
  return {
    ...(maxTokens === undefined ? {} : { max_output_tokens: Math.max(leastMaxTokens, maxTokens) }),
    ...(temperature === undefined ? {} : { temperature: Math.min(1, Math.max(0.01, temperature)) }),
    ...(topP === undefined ? {} : { top_p: Math.min(1, topP) }),
    ...(stop === undefined ? {} : { stop }),
  };
}

/** JSON mode has no schema: the schema becomes an instruction. */
function systemOf(parts: readonly TextPart[], { responseFormat: format }: ChatRequest, losses: Losses): string {
  if (parts.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  const texts = parts.map(({ text }) => text);
  if (format?.kind === 'schema') texts.push(`Answer with JSON that matches this schema:\n${JSON.stringify(format.schema)}`);
  return texts.filter((text) => text !== '').join('\n');
}

function writeTools(request: ChatRequest, losses: Losses): Json {
  const { tools, toolChoice: choice } = request;
  writeHostedTools(request, { losses, title, write: () => null });
  if (choice?.kind === 'hosted') throw untranslatable(choice.field, title);
  if (choice?.kind === 'none' || tools.length === 0) return {};
  if (tools.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  const [first] = tools;
  const forced = choice?.kind === 'tool' ? choice.name : choice?.kind === 'required' && tools.length === 1 ? first?.name : undefined;
  if (choice?.kind === 'required' && forced === undefined) losses.drop('forced_tool');
  return {
    functions: tools.map(writeTool),
    ...(forced === undefined ? {} : { tool_choice: { type: 'function', function: { name: forced } } }),
  };
}

function writeTool({ name, description = name, parameters }: Tool): Json {
  const plain = { type: 'object', ...functionParameters(parameters) };
  return { name, description, parameters: plain };
}
