// A Messages request → parts.
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type {
  AssistantPart,
  CacheHint,
  ChatRequest,
  FilePart,
  HostedOptions,
  HostedTool,
  ImagePart,
  MediaSource,
  Message,
  ReasoningEffort,
  ReasoningWish,
  TextPart,
  Tool,
  ToolChoice,
  ToolResultPart,
  UserPart,
} from '../parts.ts';
import { extraFieldReader } from '../extra-fields.ts';
import type { ExtraField } from '../request-fields.ts';
import { readSeal } from '../seal.ts';
import { badField, StrictFields } from '../strict-fields.ts';
import type { Body } from '../strict-fields.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import { isAttribution } from './attribution.ts';
import { callIds } from './call-ids.ts';
import { readHostedBlock } from './hosted-blocks.ts';
import { editsAreOurs } from './context-edits.ts';
import { kindOfTool } from './hosted-tools.ts';
import { saidFields } from './said-fields.ts';

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
]);

/** Its edits were made before. */
const knownWithEdits: ReadonlySet<string> = new Set([...known, 'context_management']);

const efforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const mostTokens = 1_073_741_823;

/** @throws {AppError} `invalid_request` with the field at fault; `untranslatable` for what only Claude's provider can do */
export function readRequest(body: Body): ChatRequest {
  const fields = new StrictFields(body);
  // Before it was a part of `output_config` it had a field of its own.
  const format = fields.fields('output_config')?.fields('format') ?? fields.fields('output_format');
  const choice = fields.fields('tool_choice');
  const tools = fields.objects('tools');
  const hostedTools = tools.flatMap((tool) => readHostedTool(tool) ?? []);
  const request: ChatRequest = {
    model: fields.requiredText('model'),
    messages: [...readSystem(fields), ...fields.objects('messages').map(readMessage)],
    tools: tools.filter((tool) => kindOfTool(tool.plain) === null).map(readTool),
    ...(hostedTools.length === 0 ? {} : { hostedTools }),
    isStream: fields.boolean('stream') ?? false,
    extras: [...extraFields(fields, editsAreOurs(body) ? knownWithEdits : known), ...attributionFields(fields), ...citationFields(fields)],
    saidFields,
  };
  const maxTokens = fields.integer('max_tokens', 0, mostTokens);
  // No other format fills a cache without an answer: one token is the least that they give.
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

const extraFields = extraFieldReader(saidFields);

function attributionFields(fields: StrictFields): ExtraField[] {
  const [first] = Array.isArray(fields.raw('system')) ? fields.objects('system') : [];
  const text = first?.text('text');
  return isAttribution({ text }) ? [{ field: 'attribution', name: 'system.0', value: text }] : [];
}

/** Documents and search results whose places the response is to tell. */
function citationFields(fields: StrictFields): ExtraField[] {
  const isAsked = (block: unknown): boolean =>
    isObject(block) &&
    ((isObject(block.citations) && block.citations.enabled === true) || (Array.isArray(block.content) && block.content.some(isAsked)));
  const isIn = fields.objects('messages').some((message) => {
    const content = message.raw('content');
    return Array.isArray(content) && content.some(isAsked);
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
  // What a system message in the middle says goes for everything behind it.
  const turns = fields.objects('messages').filter((message) => message.text('role') === 'system');
  const wishes = [fields, ...turns].map((wish) => wish.fields('output_config')?.oneOf('effort', efforts));
  const effort = wishes.findLast((wish) => wish !== undefined);
  if (type === 'disabled') return { isOn: false };
  if (type === 'enabled') return { isOn: true, budgetTokens: thinking?.integer('budget_tokens', 0, mostTokens) ?? 0, ...effortOf(effort) };
  if (type === undefined && effort === undefined) return undefined;
  return { isOn: true, ...effortOf(effort) };
}

function effortOf(effort: ReasoningEffort | undefined): { effort?: ReasoningEffort } {
  return effort === undefined ? {} : { effort };
}

/** Null: the caller runs it. */
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
  // A tool that the provider has taught its models, such as a shell: nobody else knows what it is.
  if (type !== undefined && type !== 'custom') throw untranslatable(tool.path('type'), otherProviders);
  const read: Tool = { name: tool.requiredText('name'), parameters: tool.object('input_schema') ?? {} };
  const description = tool.text('description');
  if (description !== undefined) read.description = description;
  const isStrict = tool.boolean('strict');
  if (isStrict !== undefined) read.isStrict = isStrict;
  return { ...read, ...cacheOf(tool) };
}

function cacheOf(part: StrictFields): { cache?: CacheHint } {
  const control = part.fields('cache_control');
  if (control === undefined) return {};
  return { cache: control.text('ttl') === '1h' ? '1h' : '5m' };
}

function readSystem(fields: StrictFields): Message[] {
  const content = readTexts(fields, 'system').filter((part, index) => index > 0 || !isAttribution(part));
  return content.length === 0 ? [] : [{ role: 'system', content, field: 'system' }];
}

function readTexts(fields: StrictFields, field: string): TextPart[] {
  const value = fields.raw(field);
  if (value === undefined) return [];
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  return fields.objects(field).map((block) => {
    block.oneOf('type', ['text']);
    return readText(block);
  });
}

function readText(block: StrictFields): TextPart {
  return { type: 'text', text: block.requiredText('text'), ...cacheOf(block) };
}

function readMessage(message: StrictFields): Message {
  const field = message.path('').slice(0, -1);
  const role = message.oneOf('role', ['user', 'assistant', 'system']);
  if (role === undefined) throw badField(message.path('role'), fieldRules.required);
  if (role === 'system') return { role, content: readTexts(message, 'content'), field };
  const content = message.raw('content');
  if (content === undefined) throw badField(message.path('content'), fieldRules.required);
  if (typeof content === 'string') {
    const texts: TextPart[] = content === '' ? [] : [{ type: 'text', text: content }];
    return { role, content: texts, field };
  }
  const blocks = message.objects('content');
  return role === 'user' ? { role, content: blocks.map(readUserBlock), field } : { role, content: blocks.map(readAssistantBlock), field };
}

function readUserBlock(block: StrictFields): UserPart {
  const type = block.text('type');
  if (type === 'tool_result') return readToolResult(block);
  return readMediaBlock(block);
}

function readMediaBlock(block: StrictFields): TextPart | ImagePart | FilePart {
  switch (block.text('type')) {
    case 'text':
      return readText(block);
    case 'image':
      return { type: 'image', source: readSource(block), ...cacheOf(block) };
    case 'document':
      return readDocument(block);
    case 'search_result':
      return readSearchResult(block);
    case 'tool_reference':
      // All tools are told anyway.
      return { type: 'text', text: block.requiredText('tool_name'), ...cacheOf(block) };
    case undefined:
      throw badField(block.path('type'), fieldRules.required);
    default:
      throw untranslatable(block.path('type'), otherProviders);
  }
}

function readSource(block: StrictFields): MediaSource {
  const source = block.fields('source');
  if (source === undefined) throw badField(block.path('source'), fieldRules.required);
  const type = source.oneOf('type', ['base64', 'url', 'file']);
  if (type === 'url') return { kind: 'url', url: source.requiredText('url') };
  if (type === 'file') return { kind: 'id', id: source.requiredText('file_id') };
  return { kind: 'base64', mediaType: source.requiredText('media_type'), data: source.requiredText('data') };
}

function readDocument(block: StrictFields): FilePart {
  const source = block.fields('source');
  const name = block.text('title');
  const context = block.text('context');
  const named = name === undefined ? {} : { name };
  const shared = { ...named, ...cacheOf(block) };
  const withContext = (text: string) => (context === undefined || context === '' ? text : `${context}\n\n${text}`);
  switch (source?.text('type')) {
    case 'text':
      return { type: 'file', source: { kind: 'text', text: withContext(source.requiredText('data')) }, ...shared };
    case 'content':
      return { type: 'file', source: { kind: 'text', text: withContext(textIn(source)) }, ...shared };
    default:
      return { type: 'file', source: readSource(block), ...shared };
  }
}

/** @throws {AppError} `untranslatable` for pictures among the texts */
function textIn(source: StrictFields): string {
  if (typeof source.raw('content') === 'string') return source.requiredText('content');
  const texts = source.objects('content').map((block) => {
    if (block.text('type') !== 'text') throw untranslatable(block.path('type'), otherProviders);
    return block.requiredText('text');
  });
  return texts.join('\n');
}

/** What the caller has found, as a text that says where it is from. */
function readSearchResult(block: StrictFields): TextPart {
  const head = [block.requiredText('title'), block.requiredText('source')].join('\n');
  const texts = block.objects('content').map((part) => part.requiredText('text'));
  return { type: 'text', text: [head, ...texts].join('\n\n'), ...cacheOf(block) };
}

function readToolResult(block: StrictFields): ToolResultPart {
  const content = block.raw('content');
  const parts: ToolResultPart['content'] =
    content === undefined || typeof content === 'string' ? readTexts(block, 'content') : block.objects('content').map(readMediaBlock);
  return {
    type: 'tool_result',
    callId: callIds.read(block.requiredText('tool_use_id')),
    content: parts,
    isError: block.boolean('is_error') ?? false,
    ...cacheOf(block),
  };
}

function readAssistantBlock(block: StrictFields): AssistantPart {
  const type = block.text('type');
  switch (type) {
    case 'text':
      return readText(block);
    case 'thinking': {
      const signature = block.text('signature');
      return {
        type: 'reasoning',
        text: block.text('thinking') ?? '',
        ...(signature === undefined ? {} : { seal: readSeal(signature, 'claude') }),
      };
    }
    case 'redacted_thinking':
      return { type: 'sealed', seal: readSeal(block.requiredText('data'), 'claude') };
    case 'tool_use': {
      const input = block.raw('input') ?? {};
      if (!isObject(input)) throw badField(block.path('input'), fieldRules.object);
      return {
        type: 'tool_call',
        id: callIds.read(block.requiredText('id')),
        name: block.requiredText('name'),
        arguments: JSON.stringify(input),
        ...cacheOf(block),
      };
    }
    case undefined:
      throw badField(block.path('type'), fieldRules.required);
    default: {
      const hosted = readHostedBlock(block.plain);
      if (hosted !== null) return hosted;
      throw untranslatable(block.path('type'), otherProviders);
    }
  }
}
