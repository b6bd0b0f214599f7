// Writes parts as a request of Ollama's chat API.
import { functionParameters } from '../function-parameters.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { ChatRequest, ReasoningWish, Tool } from '../parts.ts';
import { thinkingLevel } from '../thinking-level.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import { withOptions } from './options.ts';
import { carriedFields } from './format-fields.ts';
import { title } from './title.ts';
import { writeMessages } from './write-messages.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, { upstreamModel: model }: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  // `stream` defaults to true.
  const written: Json = { ...extras, model, stream: request.isStream, messages: writeMessages(request.messages, losses) };
  const body: Json = withOptions(written, optionsOf(request));
  const tools = writeTools(request, losses);
  if (tools.length > 0) body.tools = tools;
  const { responseFormat: format, reasoning } = request;
  if (format !== undefined) body.format = format.kind === 'json' ? 'json' : format.schema;
  const think = reasoning === undefined ? undefined : writeThinking(reasoning, model, losses);
  if (think !== undefined) body.think = think;
  if (request.userId !== undefined) losses.drop('user_id');
  return { body, dropped: losses.names };
}

function optionsOf({ maxTokens, temperature, topP, topK, stop }: ChatRequest): Json {
  return {
    ...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(stop === undefined ? {} : { stop }),
  };
}

/** The format has no tool choice: for a forced tool only that one is sent, and the loss of the choice is reported. */
function writeTools(request: ChatRequest, losses: Losses): Json[] {
  const { tools, toolChoice: choice, parallelToolCalls } = request;
  writeHostedTools(request, { losses, title, write: () => null });
  if (choice?.kind === 'hosted') throw untranslatable(choice.field, title);
  if (choice?.kind === 'none' || tools.length === 0) return [];
  if (tools.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  if (parallelToolCalls === false) losses.drop('single_calls');
  if (choice?.kind === 'required' || choice?.kind === 'tool') losses.drop('forced_tool');
  const offered = choice?.kind === 'tool' ? tools.filter(({ name }) => name === choice.name) : tools;
  return offered.map(writeTool);
}

function writeTool({ name, description, parameters }: Tool): Json {
  const described = description === undefined ? {} : { description };
  const plain = { type: 'object', ...functionParameters(parameters) };
  return { type: 'function', function: { name, ...described, parameters: plain } };
}

/**
 * Thinking models think by default; others reject the field. Only gpt-oss has levels, and always thinks.
 * https://docs.ollama.com/capabilities/thinking
 */
function writeThinking(wish: ReasoningWish, model: string, losses: Losses): boolean | string | undefined {
  if (/(?:^|\/)gpt-oss/.test(model)) return wish.isOn ? thinkingLevel(wish) : 'low';
  if (!wish.isOn) return false;
  if (wish.budgetTokens !== undefined) losses.drop('thinking_budget');
  else if (wish.effort !== undefined) losses.drop('effort');
  return undefined;
}
