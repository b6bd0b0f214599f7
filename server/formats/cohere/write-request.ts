// Writes parts as a request of Cohere's chat.
import { functionParameters } from '../function-parameters.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { ChatRequest, Tool } from '../parts.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { thinks } from './models.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeMessages } from './write-messages.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, { upstreamModel: model }: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  const messages = writeMessages(request.messages, { losses, model });
  const body: Json = { ...extras, model, stream: request.isStream, messages, ...samplingOf(request) };
  Object.assign(body, writeTools(request, losses));
  const { responseFormat: format } = request;
  if (format?.kind === 'json') body.response_format = { type: 'json_object' };
  if (format?.kind === 'schema') body.response_format = { type: 'json_object', json_schema: format.schema };
  const thinking = writeThinking(request, model, losses);
  if (thinking !== null) body.thinking = thinking;
  if (request.userId !== undefined) losses.drop('user_id');
  return { body, dropped: losses.names };
}

/** Temperature is at most 1; `p` excludes 0 and 1. https://docs.cohere.com/v2/reference/chat */
function samplingOf({ maxTokens, temperature, topP, topK, stop }: ChatRequest): Json {
  return {
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature: Math.min(1, temperature) }),
    ...(topP === undefined ? {} : { p: Math.min(0.99, Math.max(0.01, topP)) }),
    ...(topK === undefined ? {} : { k: Math.min(500, topK) }),
    ...(stop === undefined ? {} : { stop_sequences: stop }),
  };
}

/** A single tool cannot be forced by name: only that tool is sent. */
function writeTools(request: ChatRequest, losses: Losses): Json {
  const { tools, toolChoice: choice, parallelToolCalls } = request;
  writeHostedTools(request, { losses, title, write: () => null });
  if (choice?.kind === 'hosted') throw untranslatable(choice.field, title);
  if (tools.length === 0) return {};
  if (tools.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  if (parallelToolCalls === false && choice?.kind !== 'none') losses.drop('single_calls');
  const offered = choice?.kind === 'tool' ? tools.filter(({ name }) => name === choice.name) : tools;
  const word = choice === undefined ? undefined : choices[choice.kind];
  return { tools: offered.map(writeTool), ...(word === undefined ? {} : { tool_choice: word }) };
}

const choices: Readonly<Record<'auto' | 'none' | 'required' | 'tool', string | undefined>> = {
  auto: undefined,
  none: 'NONE',
  required: 'REQUIRED',
  tool: 'REQUIRED',
};

function writeTool({ name, description, parameters }: Tool): Json {
  const described = description === undefined ? {} : { description };
  const plain = { type: 'object', ...functionParameters(parameters) };
  return { type: 'function', function: { name, ...described, parameters: plain } };
}

/** If null, the model's default applies. Models without thinking reject the field. */
function writeThinking({ reasoning }: ChatRequest, model: string, losses: Losses): Json | null {
  if (reasoning === undefined) return null;
  const { isOn, budgetTokens } = reasoning;
  const canThink = thinks(model);
  if (isOn && budgetTokens === undefined) losses.drop('effort');
  if (isOn && budgetTokens !== undefined && !canThink) losses.drop('thinking_budget');
  if (!canThink) return null;
  if (!isOn) return { type: 'disabled' };
  return { type: 'enabled', ...(budgetTokens === undefined ? {} : { token_budget: budgetTokens }) };
}
