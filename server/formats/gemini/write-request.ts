// Writes parts as a `generateContent` request.
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { ChatRequest, HostedTool, ResponseFormat, Tool, ToolChoice } from '../parts.ts';
import { splitInstructions } from '../instructions.ts';
import { Losses, untranslatable } from '../losses.ts';
import type { WriteOptions, WrittenRequest } from '../upstream-dialect.ts';
import type { HostedKind } from '#shared/hosted-tools.ts';
import { writeHostedTools } from '../hosted-tools.ts';
import { toJsonSchema } from './json-schema.ts';
import { takesJsonSchema } from './model-generation.ts';
import { toOpenApiSchema } from './openapi-schema.ts';
import { type Schema, SchemaCopies } from '../schema-parts.ts';
import { carriedFields } from './format-fields.ts';
import { fieldOf } from '../reasoning-models.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { thinksAsWished, writeThinking } from './thinking.ts';
import { writeContents } from './write-contents.ts';

type Json = Record<string, unknown>;

/** @throws {AppError} `untranslatable` */
export function writeRequest(
  request: ChatRequest,
  { upstreamModel, knownAs: model = upstreamModel, budget }: WriteOptions,
): WrittenRequest {
  const losses = new Losses(request.clientFields);
  const { generationConfig, ...extras } = losses.carry(request.extras, carriedFields, 'Gemini');
  const { instructions, turns } = splitInstructions(request.messages);
  const body: Json = { ...extras, contents: writeContents(turns, model, losses) };
  if (instructions.length > 0) body.systemInstruction = { parts: [{ text: instructions.map(({ text }) => text).join('\n') }] };
  const writeSchema = schemaWriter(model, budget);
  const tools = [...writeHosted(request, losses), ...writeTools(request.tools, writeSchema)];
  if (tools.length > 0) body.tools = tools;
  const { toolChoice } = request;
  // Hosted tools cannot be forced.
  if (toolChoice?.kind === 'hosted') throw untranslatable(toolChoice.field, 'Gemini');
  if (toolChoice !== undefined && request.tools.length > 0) body.toolConfig = writeChoice(toolChoice);
  const config = { ...asObject(generationConfig), ...writeConfig(request, { model, losses, writeSchema }) };
  if (Object.keys(config).length > 0) body.generationConfig = config;
  if (request.parallelToolCalls === false && request.tools.length > 0) losses.drop('single_calls');
  if (request.userId !== undefined) losses.drop('user_id');
  if (hasCacheHints(request)) losses.drop('cache_hints');
  return { body, dropped: losses.names };
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function writeConfig(
  request: ChatRequest,
  { model, losses, writeSchema }: { model: string; losses: Losses; writeSchema: SchemaWriter },
): Json {
  const { maxTokens, temperature, topP, topK, stop, responseFormat, reasoning } = request;
  const config: Json = {};
  if (factsOf(model)?.sampling === 'refused') {
    // Dropping the default value changes nothing, so it is not reported.
    if (temperature !== undefined && temperature !== 1) losses.drop('temperature');
    if (topP !== undefined && topP !== 1) losses.drop('top_p');
    if (topK !== undefined) losses.drop('top_k');
  } else {
    if (temperature !== undefined) config.temperature = temperature;
    if (topP !== undefined) config.topP = topP;
    if (topK !== undefined) config.topK = topK;
  }
  if (maxTokens !== undefined) config.maxOutputTokens = maxTokens;
  if (stop !== undefined) config.stopSequences = stop;
  if (responseFormat !== undefined) Object.assign(config, writeFormat(responseFormat, writeSchema));
  if (reasoning !== undefined) {
    const thinkingConfig = writeThinking(model, reasoning);
    if (thinkingConfig !== null) config.thinkingConfig = thinkingConfig;
    // Turning thinking off needs no report for models without it.
    else if (reasoning.isOn) losses.drop(fieldOf(reasoning));
    if (thinkingConfig !== null && !thinksAsWished(reasoning, thinkingConfig)) losses.drop(fieldOf(reasoning));
  }
  return config;
}

type SchemaWriter = (schema: Schema) => { isJson: boolean; schema: Json };

function schemaWriter(model: string, budget: PartBudget | undefined): SchemaWriter {
  const isJson = takesJsonSchema(model);
  const copies = new SchemaCopies(budget);
  return (schema) => ({ isJson, schema: isJson ? toJsonSchema(schema) : toOpenApiSchema(schema, copies) });
}

function writeFormat(format: ResponseFormat, writeSchema: SchemaWriter): Json {
  const json = { responseMimeType: 'application/json' };
  if (format.kind === 'json') return json;
  const { isJson, schema } = writeSchema(format.schema);
  return { ...json, [isJson ? 'responseJsonSchema' : 'responseSchema']: schema };
}

/**
 * Older models accept no hosted tools together with functions, newer ones with additional fields.
 * https://ai.google.dev/gemini-api/docs/tool-combination
 */
function writeHosted(request: ChatRequest, losses: Losses): Json[] {
  const hasFunctions = request.tools.length > 0;
  const write = (tool: HostedTool): Json | null => {
    const name = hasFunctions ? undefined : memberOf[tool.kind];
    if (name === undefined) return null;
    for (const [option, field] of lostOptions) if (tool.options[option] !== undefined) losses.dropNamed(`${tool.field}.${field}`);
    return { [name]: {} };
  };
  return writeHostedTools(request, { losses, title: 'Gemini', origin: 'gemini', write });
}

const memberOf: Readonly<Partial<Record<HostedKind, string>>> = {
  web_search: 'googleSearch',
  code_execution: 'codeExecution',
  web_fetch: 'urlContext',
};
const lostOptions = [
  ['allowedDomains', 'allowed_domains'],
  ['blockedDomains', 'blocked_domains'],
  ['location', 'user_location'],
] as const;

/** Names of functions by which callers of other formats request hosted tools. */
const providerTools: ReadonlySet<string> = new Set(['googleSearch', 'codeExecution', 'urlContext']);

function writeTools(tools: readonly Tool[], writeSchema: SchemaWriter): Json[] {
  const isProviders = ({ name, parameters }: Tool) => providerTools.has(name) && Object.keys(parameters).length === 0;
  const own = tools.filter(isProviders).map(({ name }) => ({ [name]: {} }));
  const functionDeclarations = tools.filter((tool) => !isProviders(tool)).map((tool) => writeTool(tool, writeSchema));
  return functionDeclarations.length === 0 ? own : [...own, { functionDeclarations }];
}

function writeTool({ name, description, parameters }: Tool, writeSchema: SchemaWriter): Json {
  const declaration = { name, ...(description === undefined ? {} : { description }) };
  // An object without properties is rejected.
  if (!hasProperties(parameters)) return declaration;
  const { isJson, schema } = writeSchema({ type: 'object', ...parameters });
  return { ...declaration, [isJson ? 'parametersJsonSchema' : 'parameters']: schema };
}

function hasProperties({ properties, ...rest }: Tool['parameters']): boolean {
  if (Object.keys(asObject(properties)).length > 0) return true;
  return ['$ref', 'anyOf', 'oneOf', 'allOf'].some((word) => rest[word] !== undefined) || typeof rest['additionalProperties'] === 'object';
}

/** https://ai.google.dev/gemini-api/docs/function-calling#function_calling_modes */
function writeChoice(choice: Exclude<ToolChoice, { kind: 'hosted' }>): Json {
  if (choice.kind === 'tool') return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [choice.name] } };
  const { kind, allowed } = choice;
  if (allowed === undefined) return { functionCallingConfig: { mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[kind] } };
  // With a list of allowed tools, only validated mode leaves the model free to respond with text.
  const mode = { auto: 'VALIDATED', none: 'NONE', required: 'ANY' }[kind];
  return { functionCallingConfig: { mode, ...(kind === 'none' ? {} : { allowedFunctionNames: allowed }) } };
}

function hasCacheHints({ messages, tools }: ChatRequest): boolean {
  return (
    tools.some(({ cache }) => cache !== undefined) ||
    messages.some(({ content }) => content.some((part) => 'cache' in part && part.cache !== undefined))
  );
}
