// Reads messages and their blocks into parts.
import { fieldRules } from '#shared/field-rules.ts';
import type { AssistantPart, CacheHint, FilePart, ImagePart, MediaSource, Message, TextPart, ToolResultPart, UserPart } from '../parts.ts';
import { otherProviders, untranslatable } from '../losses.ts';
import { readSeal } from '../seal.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';
import { argumentsOfCall } from '../tool-arguments.ts';
import { callIds } from './call-ids.ts';
import { isCompaction, lastCompaction, summaryText } from './compaction.ts';
import { readHostedBlock } from './hosted-blocks.ts';
import { toolChangeTypes } from './tool-changes.ts';

export function cacheOf(part: StrictFields): { cache?: CacheHint } {
  const control = part.fields('cache_control');
  if (control === undefined) return {};
  return { cache: control.text('ttl') === '1h' ? '1h' : '5m' };
}

export function readTexts(fields: StrictFields, field: string): TextPart[] {
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

/** Reads messages. Those before the last summary are omitted, as the provider does. */
export function readMessages(fields: StrictFields): Message[] {
  const messages = fields.objects('messages');
  const lastTurn = messages.findLastIndex((message) => message.text('role') === 'user');
  const shown = messages.filter((message, index) => index > lastTurn || !isForOneTurn(message));
  // A system message that only changes tools becomes empty.
  return readAll(shown).filter(({ role, content }) => role !== 'system' || content.length > 0);
}

function isForOneTurn(message: StrictFields): boolean {
  return message.text('role') === 'system' && message.text('clear_at') === 'next_user_message';
}

function readAll(messages: StrictFields[]): Message[] {
  const place = lastCompaction(messages.map(({ plain }) => plain));
  if (place === null) return messages.map((message) => readMessage(message));
  return messages.slice(place.message).flatMap((message, index) => (index === 0 ? readSummarized(message) : [readMessage(message)]));
}

function readSummarized(message: StrictFields): Message[] {
  const blocks = message.objects('content');
  const place = blocks.findLastIndex(({ plain }) => isCompaction(plain));
  const field = message.path('content');
  const summary = blocks.slice(place, place + 1).map((block) => ({
    type: 'text' as const,
    text: summaryText(block.requiredText('content')),
    ...cacheOf(block),
  }));
  const reported: Message = { role: 'user', content: summary, field };
  return place + 1 < blocks.length ? [reported, readMessage(message, blocks.slice(place + 1))] : [reported];
}

/** Blocks without content: failed summaries, model fallbacks and MCP listings. */
const silent: ReadonlySet<string> = new Set(['compaction', 'fallback', 'mcp_tool_listing']);

/** Reads the texts of a system message; `tool-changes.ts` reads its tool changes. */
function readSystemTexts(message: StrictFields): TextPart[] {
  if (!Array.isArray(message.raw('content'))) return readTexts(message, 'content');
  return message.objects('content').flatMap((block) => {
    const type = block.oneOf('type', ['text', ...toolChangeTypes]);
    return type === 'text' || type === undefined ? [readText(block)] : [];
  });
}

/**
 * Reads one message.
 * @param behind blocks after a summary; if undefined, all blocks are read
 */
function readMessage(message: StrictFields, behind?: StrictFields[]): Message {
  const field = message.path('content');
  const role = message.oneOf('role', ['user', 'assistant', 'system']);
  if (role === undefined) throw badField(message.path('role'), fieldRules.required);
  if (role === 'system') return { role, content: readSystemTexts(message), field };
  const content = message.raw('content');
  if (content === undefined) throw badField(message.path('content'), fieldRules.required);
  if (typeof content === 'string') {
    const texts: TextPart[] = content === '' ? [] : [{ type: 'text', text: content }];
    return { role, content: texts, field };
  }
  const blocks = (behind ?? message.objects('content')).filter((block) => !silent.has(block.text('type') ?? ''));
  return role === 'user'
    ? { role, content: blocks.flatMap(readUserBlock), field }
    : { role, content: blocks.map(readAssistantBlock), field };
}

function readUserBlock(block: StrictFields): UserPart[] {
  return block.text('type') === 'tool_result' ? [readToolResult(block)] : readMediaBlocks(block);
}

type MediaPart = TextPart | ImagePart | FilePart;

function readMediaBlocks(block: StrictFields): MediaPart[] {
  const source = block.text('type') === 'document' ? block.fields('source') : undefined;
  return source?.text('type') === 'content' ? readContentDocument(block, source) : [readMediaBlock(block)];
}

function readMediaBlock(block: StrictFields): MediaPart {
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
      // All tools are sent with the request, so the name suffices.
      return { type: 'text', text: block.requiredText('tool_name'), ...cacheOf(block) };
    case 'browser_state':
      return { type: 'text', text: browserText(block), ...cacheOf(block) };
    case undefined:
      throw badField(block.path('type'), fieldRules.required);
    default:
      throw untranslatable(block.path('type'), otherProviders);
  }
}

/** Writes browser tabs as text, as Anthropic does for its model. */
function browserText(block: StrictFields): string {
  const tabs = block.objects('tabs').map((tab) => {
    const page = [tab.text('title') ?? '', tab.text('url') ?? ''].filter((text) => text !== '').join(' ');
    return `${tab.requiredText('tab_id')}${tab.boolean('active') === true ? ' (active)' : ''}: ${page}`;
  });
  const changes = block.has('state_changes') ? block.objects('state_changes').map((change) => JSON.stringify(change.plain)) : [];
  return [`Open tabs of the browser:`, ...tabs, ...(changes.length === 0 ? [] : ['What has changed:', ...changes])].join('\n');
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
  if (source?.text('type') !== 'text') return { type: 'file', source: readSource(block), ...namedIn(block), ...cacheOf(block) };
  return textFile(`${contextIn(block)}${source.requiredText('data')}`, { ...namedIn(block), ...cacheOf(block) });
}

/** Reads a document made of texts and images, in order. */
function readContentDocument(block: StrictFields, source: StrictFields): MediaPart[] {
  const shared = { ...namedIn(block), ...cacheOf(block) };
  const context = contextIn(block);
  if (typeof source.raw('content') === 'string') return [textFile(`${context}${source.requiredText('content')}`, shared)];
  const blocks = source.objects('content');
  if (blocks.every((one) => one.text('type') === 'text')) {
    return [textFile(`${context}${blocks.map((one) => one.requiredText('text')).join('\n')}`, shared)];
  }
  // Texts become files too, so that the order is preserved.
  const parts = blocks.map(readMediaBlock).map((part) => (part.type === 'text' ? textFile(part.text, {}) : part));
  const head = [block.text('title') ?? '', block.text('context') ?? ''].filter((text) => text !== '').join('\n\n');
  const all = head === '' ? parts : [textFile(head, {}), ...parts];
  // The cache mark applies to the last part.
  return all.map((part, index) => (index === all.length - 1 ? { ...part, ...cacheOf(block) } : part));
}

function textFile(text: string, shared: Pick<FilePart, 'name' | 'cache'>): FilePart {
  return { type: 'file', source: { kind: 'text', text }, ...shared };
}

function namedIn(block: StrictFields): { name?: string } {
  const name = block.text('title');
  return name === undefined ? {} : { name };
}

function contextIn(block: StrictFields): string {
  const context = block.text('context') ?? '';
  return context === '' ? '' : `${context}\n\n`;
}

/** Reads a search result of the caller as text with its source. */
function readSearchResult(block: StrictFields): TextPart {
  const head = [block.requiredText('title'), block.requiredText('source')].join('\n');
  const texts = block.objects('content').map((part) => part.requiredText('text'));
  return { type: 'text', text: [head, ...texts].join('\n\n'), ...cacheOf(block) };
}

function readToolResult(block: StrictFields): ToolResultPart {
  const content = block.raw('content');
  const parts: ToolResultPart['content'] =
    content === undefined || typeof content === 'string' ? readTexts(block, 'content') : block.objects('content').flatMap(readMediaBlocks);
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
      return {
        type: 'tool_call',
        id: callIds.read(block.requiredText('id')),
        name: block.requiredText('name'),
        ...argumentsOfCall(block.raw('input')),
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
