// Parts → a question to an application: one text, in which everybody speaks under a heading.
import { writeHostedTools } from '../hosted-tools.ts';
import { Losses, untranslatable } from '../losses.ts';
import { namedText } from '../media.ts';
import type { AssistantPart, ChatRequest, Message, TextPart, UserPart } from '../parts.ts';
import type { WrittenRequest } from '../upstream-dialect.ts';
import { carriedFields } from './said-fields.ts';
import { title } from './title.ts';

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest): WrittenRequest {
  const losses = new Losses(request.saidFields);
  const extras = losses.carry(request.extras, carriedFields, title);
  noteLosses(request, losses);
  const { messages, responseFormat: format, userId, isStream } = request;
  const told = messages.flatMap((message) => writeMessage(message, losses));
  if (format?.kind === 'schema') told.push(`SYSTEM: \nAnswer with JSON that matches this schema:\n${JSON.stringify(format.schema)}\n`);
  const body = {
    ...extras,
    inputs: {},
    query: told.join(''),
    response_mode: isStream ? 'streaming' : 'blocking',
    ...(userId === undefined ? {} : { user: userId }),
    auto_generate_name: false,
    files: [],
  };
  return { body, dropped: losses.names };
}

/** An application has its own model with its own settings, and its own tools. */
function noteLosses(request: ChatRequest, losses: Losses): void {
  const { stop, maxTokens, temperature, topP, topK, tools, toolChoice, parallelToolCalls, reasoning, responseFormat } = request;
  if (stop !== undefined) throw untranslatable(request.saidFields.stop?.name ?? 'stop', title);
  writeHostedTools(request, { losses, title, write: () => null });
  if (toolChoice?.kind === 'hosted') throw untranslatable(toolChoice.field, title);
  if (maxTokens !== undefined) losses.drop('token_limit');
  if (temperature !== undefined) losses.drop('temperature');
  if (topP !== undefined) losses.drop('top_p');
  if (topK !== undefined) losses.drop('top_k');
  if (tools.length > 0) losses.dropNamed('tools');
  if (tools.some(({ cache }) => cache !== undefined)) losses.drop('cache_hints');
  if (toolChoice?.kind === 'required' || toolChoice?.kind === 'tool') losses.drop('forced_tool');
  if (parallelToolCalls === false) losses.drop('single_calls');
  if (reasoning?.isOn === true) losses.drop(reasoning.budgetTokens === undefined ? 'effort' : 'thinking_budget');
  if (responseFormat?.kind === 'json') losses.drop('json_without_schema');
}

const headings = { system: 'SYSTEM', user: 'USER', assistant: 'ASSISTANT' } as const;

function writeMessage(message: Message, losses: Losses): string[] {
  const { role, content, field } = message;
  if (content.some((part) => 'cache' in part && part.cache !== undefined)) losses.drop('cache_hints');
  if (role !== 'system' && message.name !== undefined) losses.drop('names');
  return content.flatMap((part: TextPart | UserPart | AssistantPart) => {
    const text = textOf(part, field, losses);
    return text === '' ? [] : [`${headings[role]}: \n${text}\n`];
  });
}

/** Calls of tools and their results are told as texts. */
function textOf(part: UserPart | AssistantPart, field: string, losses: Losses): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'tool_call':
      if (part.seal !== undefined) losses.drop('foreign_thoughts');
      return `${part.name}(${part.arguments})`;
    case 'tool_result':
      if (part.isError) losses.drop('tool_errors');
      return part.content.map((inner) => textOf(inner, field, losses)).join('\n');
    case 'hosted_call':
    case 'hosted_result':
      losses.drop('provider_tool_results');
      return '';
    case 'reasoning':
    case 'sealed':
      losses.drop(part.seal === undefined ? 'unsigned_thoughts' : 'foreign_thoughts');
      return '';
    default: {
      const text = part.type === 'file' ? namedText(part) : null;
      if (text === null) throw untranslatable(`${field}.content`, title);
      return text;
    }
  }
}
