// Writes parts as a request to Perplexity's Agent API, a variant of Responses that rejects unknown fields.
// https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/how-to https://docs.perplexity.ai/api-reference/agent-post
import { functionParameters } from '../../function-parameters.ts';
import { Losses } from '../../losses.ts';
import { writeHostedTools } from '../../hosted-tools.ts';
import type { ChatRequest, Tool, ToolChoice } from '../../parts.ts';
import { effortOf, fieldOf, isAsWished } from '../../reasoning-models.ts';
import type { DialectSettings, WriteOptions, WrittenRequest } from '../../upstream-dialect.ts';
import { leastMaxTokens } from '../write-request.ts';
import { requestedModel, needsLimit, searchesOf, thinks } from './models.ts';
import { carriedFields } from './format-fields.ts';
import { readSearchFields, type SearchFields, writeSearch } from './search-fields.ts';
import { title } from './title.ts';
import { writeItems } from './write-items.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeRequest(request: ChatRequest, { upstreamModel, settings }: WriteOptions): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const search = readSearchFields(request.extras);
  const body: Json = {
    ...losses.carry(search.rest, carriedFields, title),
    ...requestedModel(upstreamModel, search.isOffline),
    // Instructions are sent as items, because `instructions` would replace those of the preset.
    input: writeItems(request.messages, losses),
    // Nothing is stored at the provider.
    store: false,
  };
  const limit = request.maxTokens ?? (needsLimit(upstreamModel) ? usualLimit(settings) : undefined);
  if (limit !== undefined) body.max_output_tokens = Math.max(leastMaxTokens, limit);
  if (request.temperature !== undefined) body.temperature = request.temperature;
  if (request.topP !== undefined) body.top_p = request.topP;
  if (search.language !== undefined) body.language_preference = search.language;
  if (request.responseFormat !== undefined) writeFormat(body, request.responseFormat, losses);
  writeTools(body, request, { search, losses, upstreamModel });
  // The tools of a preset cannot be removed, but their runs can be limited to 0.
  if (search.isOffline && body.preset !== undefined) body.max_tool_calls = 0;
  if (request.reasoning !== undefined) writeReasoning(body, request.reasoning, { model: upstreamModel, losses });
  if (request.isStream) body.stream = true;
  if (request.topK !== undefined) losses.drop('top_k');
  if (request.stop !== undefined) losses.drop('stop');
  if (request.userId !== undefined) losses.drop('user_id');
  if (hasCacheHints(request)) losses.drop('cache_hints');
  return { body, dropped: losses.names };
}

function usualLimit(settings: DialectSettings): number {
  return settings.get('claude.default_max_tokens')['default'] ?? 8192;
}

/** Writes `response_format` as in chat completions; JSON mode requires a schema. */
function writeFormat(body: Json, format: NonNullable<ChatRequest['responseFormat']>, losses: Losses): void {
  if (format.kind === 'json') return losses.drop('json_without_schema');
  const { schema, name = 'response', description, isStrict } = format;
  const more = { ...(description === undefined ? {} : { description }), ...(isStrict === undefined ? {} : { strict: isStrict }) };
  body.response_format = { type: 'json_schema', json_schema: { name, schema, ...more } };
}

interface ToolsInput {
  search: SearchFields;
  losses: Losses;
  upstreamModel: string;
}

function writeTools(body: Json, request: ChatRequest, { search, losses, upstreamModel }: ToolsInput): void {
  const { toolChoice, parallelToolCalls } = request;
  const hosted = writeHostedTools(request, {
    losses,
    title,
    write: (tool) =>
      tool.kind === 'web_search' ? writeSearch(tool, search, losses) : tool.kind === 'web_fetch' ? { type: 'fetch_url' } : null,
  });
  // Without functions instead of a tool choice of `none`, which would also prevent searches.
  const isNone = toolChoice?.kind === 'none';
  const functions = isNone ? [] : request.tools.map(writeTool);
  const isRequested = hosted.some(({ type }) => type === 'web_search');
  const isAlways = searchesOf(upstreamModel) !== undefined && !search.isOffline;
  // A preset has a search tool; one with additional fields replaces it.
  const hasFields = Object.keys(search.filters).length > 0 || search.results !== undefined;
  const isAdded = !isRequested && !search.isOffline && (hasFields || (isAlways && body.preset === undefined));
  const tools = [...functions, ...(isNone ? [] : hosted), ...(isAdded ? [writeSearch(undefined, search, losses)] : [])];
  if (tools.length === 0) return;
  body.tools = tools;
  if (toolChoice !== undefined && !isNone) body.tool_choice = writeChoice(toolChoice);
  // A model that always searches is forced to: without a choice it would decide itself.
  else if (isAdded && isAlways && body.preset === undefined && functions.length === 0) body.tool_choice = { type: 'web_search' };
  if (parallelToolCalls !== undefined && functions.length > 0) body.parallel_tool_calls = parallelToolCalls;
}

function writeTool({ name, description, parameters, isStrict }: Tool): Json {
  return {
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    parameters: functionParameters(parameters),
    ...(isStrict === undefined ? {} : { strict: isStrict }),
  };
}

function writeChoice(choice: ToolChoice): unknown {
  if (choice.kind === 'hosted') return { type: choice.hosted === 'web_fetch' ? 'fetch_url' : 'web_search' };
  return choice.kind === 'tool' ? { name: choice.name } : choice.kind;
}

function writeReasoning(
  body: Json,
  wish: NonNullable<ChatRequest['reasoning']>,
  { model, losses }: { model: string; losses: Losses },
): void {
  // A model that does not think satisfies a request to turn thinking off.
  if (!wish.isOn && !thinks(model)) return;
  const effort = effortOf(wish, model);
  if (!isAsWished(wish, effort)) losses.drop(fieldOf(wish));
  // The API has no effort `none`; its lowest is `minimal`.
  if (effort !== null && effort !== undefined) body.reasoning = { effort: effort === 'none' ? 'minimal' : effort };
}

function hasCacheHints({ messages, tools }: ChatRequest): boolean {
  return (
    tools.some(({ cache }) => cache !== undefined) ||
    messages.some(({ content }) => content.some((part) => 'cache' in part && part.cache !== undefined))
  );
}
