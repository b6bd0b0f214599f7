// Reads a Messages request into parts.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ChatRequest, HostedOptions, HostedTool, Message, ReasoningEffort, ReasoningWish, Tool, ToolChoice } from '../parts.ts';
import { extraFieldReader } from '../extra-fields.ts';
import type { ExtraField } from '../request-fields.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import { isAttribution } from './attribution.ts';
import { editsAreOurs } from './context-edits.ts';
import { kindOfTool } from './hosted-tools.ts';
import { cacheOf, readMessages, readTexts } from './read-messages.ts';
import { clientFields } from './format-fields.ts';
import { toolsAtEnd } from './tool-changes.ts';

const known: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
  'output_config',
  'output_format',
  // The gateway compacts: a stage reads this field.
  'compaction',
]);

/** Known fields if the gateway has applied the edits. */
const knownWithEdits: ReadonlySet<string> = new Set([...known, 'context_management']);

const efforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const mostTokens = 1_073_741_823;

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for features of Claude's provider */
export function readRequest(body: Body): ChatRequest {
  const fields = new StrictFields(body);
  // `output_format` is the former name of `output_config.format`.
  const format = fields.fields('output_config')?.fields('format') ?? fields.fields('output_format');
  const choice = fields.fields('tool_choice');
  const tools = toolsAtEnd(fields);
  const hostedTools = tools.flatMap((tool) => readHostedTool(tool) ?? []);
  const request: ChatRequest = {
    model: fields.requiredText('model'),
    messages: [...readSystem(fields), ...readMessages(fields)],
    tools: tools.filter((tool) => kindOfTool(tool.plain) === null).map(readTool),
    ...(hostedTools.length === 0 ? {} : { hostedTools }),
    isStream: fields.boolean('stream') ?? false,
    extras: [
      ...extraFields(fields, editsAreOurs(body) ? knownWithEdits : known),
      ...attributionFields(fields),
      ...citationFields(fields),
      ...unreadFields(fields, tools),
    ],
    clientFields,
  };
  const maxTokens = fields.integer('max_tokens', 0, mostTokens);
  // Zero only fills the cache, which other formats cannot do; their minimum is one token.
  if (maxTokens !== undefined) request.maxTokens = Math.max(1, maxTokens);
  const temperature = fields.number('temperature');
  if (temperature !== undefined) request.temperature = temperature;
  const topP = fields.number('top_p');
  if (topP !== undefined) request.topP = topP;
  const topK = fields.integer('top_k', 0, mostTokens);
  if (topK !== undefined) request.topK = topK;
  const stop = readStop(fields);
  if (stop.length > 0) request.stop = stop;
  if (choice !== undefined) {
    request.toolChoice = readToolChoice(choice, hostedTools);
    if (choice.boolean('disable_parallel_tool_use') === true) request.parallelToolCalls = false;
  }
  if (format !== undefined) {
    format.oneOf('type', ['json_schema']);
    request.responseFormat = { kind: 'schema', schema: format.object('schema') ?? {} };
  }
  const reasoning = readReasoning(fields);
  if (reasoning !== undefined) request.reasoning = reasoning;
  const userId = fields.fields('metadata')?.text('user_id');
  if (userId !== undefined) request.userId = userId;
  return request;
}

const extraFields = extraFieldReader(clientFields);

function attributionFields(fields: StrictFields): ExtraField[] {
  const [first] = Array.isArray(fields.raw('system')) ? fields.objects('system') : [];
  const text = first?.text('text');
  return isAttribution({ text }) ? [{ field: 'attribution', name: 'system.0', value: text }] : [];
}

const knownOfTools: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  // All tools are sent at once, and their arguments as they are streamed.
  'defer_loading',
  'eager_input_streaming',
]);

/** Returns nested fields that the parts cannot hold. */
function unreadFields(fields: StrictFields, tools: readonly StrictFields[]): ExtraField[] {
  const budget = fields.fields('output_config')?.raw('task_budget');
  const own = tools.filter((tool) => kindOfTool(tool.plain) === null);
  const named = own.flatMap((tool) =>
    tool
      .others(knownOfTools)
      .filter((name) => !isDirect(name, tool))
      .map((name) => tool.path(name)),
  );
  const names = [...(budget === undefined ? [] : ['output_config.task_budget']), ...named];
  return names.map((name) => ({ field: null, name, value: null }));
}

/** Reports whether the field only allows direct calls, the default. */
function isDirect(name: string, tool: StrictFields): boolean {
  const callers = name === 'allowed_callers' ? tool.list(name) : undefined;
  return callers?.every((caller) => caller === 'direct') ?? false;
}

/** Returns the fields that request citations of documents and search results. */
function citationFields(fields: StrictFields): ExtraField[] {
  const isRequested = (block: unknown): boolean =>
    isObject(block) &&
    ((isObject(block.citations) && block.citations.enabled === true) || (Array.isArray(block.content) && block.content.some(isRequested)));
  const isIn = fields.objects('messages').some((message) => {
    const content = message.raw('content');
    return Array.isArray(content) && content.some(isRequested);
  });
  return isIn ? [{ field: 'citations', name: 'citations', value: true }] : [];
}

function readStop(fields: StrictFields): string[] {
  const texts = fields.list('stop_sequences') ?? [];
  return texts.map((text, index) => {
    if (typeof text !== 'string') throw badField(`stop_sequences.${index}`, fieldRules.text);
    return text;
  });
}

function readToolChoice(choice: StrictFields, hosted: readonly HostedTool[]): ToolChoice {
  const type = choice.oneOf('type', ['auto', 'any', 'tool', 'none']);
  if (type === 'tool') {
    const name = choice.requiredText('name');
    const chosen = hosted.find(({ object }) => object['name'] === name);
    return chosen === undefined ? { kind: 'tool', name } : { kind: 'hosted', hosted: chosen.kind, field: 'tool_choice' };
  }
  return { kind: type === 'any' ? 'required' : (type ?? 'auto') };
}

function readReasoning(fields: StrictFields): ReasoningWish | undefined {
  const thinking = fields.fields('thinking');
  const type = thinking?.text('type');
  // A later system message applies to everything after it.
  const turns = fields.objects('messages').filter((message) => message.text('role') === 'system');
  const wishes = [fields, ...turns].map((wish) => wish.fields('output_config')?.oneOf('effort', efforts));
  const effort = wishes.findLast((wish) => wish !== undefined);
  if (type === 'disabled') return { isOn: false };
  const shown = shownThoughts(thinking, type);
  if (type === 'enabled') {
    return { isOn: true, budgetTokens: thinking?.integer('budget_tokens', 0, mostTokens) ?? 0, ...effortOf(effort), ...shown };
  }
  if (type === undefined && effort === undefined) return undefined;
  return { isOn: true, ...effortOf(effort), ...shown };
}

/**
 * Returns the field that requests visible thinking, if any. Thinking with a budget is visible unless the caller omits it;
 * without a budget, `display` decides.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
function shownThoughts(thinking: StrictFields | undefined, type: string | undefined): { shownBy?: string } {
  const display = thinking?.text('display');
  if (display === 'summarized') return { shownBy: 'thinking.display' };
  return display === undefined && type === 'enabled' ? { shownBy: 'thinking' } : {};
}

function effortOf(effort: ReasoningEffort | undefined): { effort?: ReasoningEffort } {
  return effort === undefined ? {} : { effort };
}

/** Returns null for tools that the caller runs. */
function readHostedTool(tool: StrictFields): HostedTool | null {
  const kind = kindOfTool(tool.plain);
  if (kind === null) return null;
  const location = tool.fields('user_location');
  const places = ['city', 'region', 'country', 'timezone'].flatMap((name) => {
    const value = location?.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const mostCalls = tool.integer('max_uses', 1, mostTokens);
  const texts = (field: string) => tool.list(field)?.filter((text) => typeof text === 'string');
  const [allowedDomains, blockedDomains] = [texts('allowed_domains'), texts('blocked_domains')];
  const options: HostedOptions = {
    ...(mostCalls === undefined ? {} : { mostCalls }),
    ...(allowedDomains === undefined ? {} : { allowedDomains }),
    ...(blockedDomains === undefined ? {} : { blockedDomains }),
    ...(places.length === 0 ? {} : { location: Object.fromEntries(places) }),
  };
  return { type: 'hosted_tool', kind, origin: 'claude', object: tool.plain, options, field: tool.path('').slice(0, -1) };
}

function readTool(tool: StrictFields): Tool {
  const type = tool.text('type');
  // Anthropic-defined tools, such as a shell, are unknown to other providers.
  if (type !== undefined && type !== 'custom') throw untranslatable(tool.path('type'), otherProviders);
  const read: Tool = { name: tool.requiredText('name'), parameters: tool.object('input_schema') ?? {} };
  const description = tool.text('description');
  if (description !== undefined) read.description = description;
  const isStrict = tool.boolean('strict');
  if (isStrict !== undefined) read.isStrict = isStrict;
  return { ...read, ...cacheOf(tool) };
}

function readSystem(fields: StrictFields): Message[] {
  const content = readTexts(fields, 'system').filter((part, index) => index > 0 || !isAttribution(part));
  return content.length === 0 ? [] : [{ role: 'system', content, field: 'system' }];
}
