// What of a Messages request counts as prompt tokens. Read loosely: it also serves estimates of what is refused later.
import { isObject } from '#server/framing/loose-json.ts';
import { noteCacheControl } from '../prompt-parts.ts';
import type { PromptParts } from '../prompt-parts.ts';
import type { Body } from '../strict-fields.ts';

const perMessage = 3;
const perTools = 340;
/** The most that an image costs. https://platform.claude.com/docs/en/build-with-claude/vision */
const perImage = 1600;
/** A document of a few pages. */
const perFile = 5000;

/** Fields beside messages and tools that providers put into the prompt. */
const listsOfPrompt = ['mcp_servers', 'context_management'];

export function promptParts(body: Body): PromptParts {
  const parts: PromptParts = { texts: [], fixed: 0, media: 0, cacheWrite: null };
  noteCacheControl(parts, body);
  addContent(parts, body.system);
  for (const message of Array.isArray(body.messages) ? body.messages : []) {
    if (!isObject(message)) continue;
    parts.fixed += perMessage;
    addContent(parts, message.content);
  }
  if (isObject(body.output_config)) addJson(parts, body.output_config.format);
  for (const field of listsOfPrompt) addJson(parts, body[field]);
  if (Array.isArray(body.tools) && body.tools.length > 0) {
    parts.fixed += perTools;
    for (const tool of body.tools) if (isObject(tool)) addTool(parts, tool);
  }
  return parts;
}

function addContent(parts: PromptParts, content: unknown): void {
  addText(parts, content);
  for (const block of Array.isArray(content) ? content : []) if (isObject(block)) addBlock(parts, block);
}

function addBlock(parts: PromptParts, block: Body): void {
  noteCacheControl(parts, block);
  switch (block.type) {
    case 'image':
      addMedia(parts, perImage);
      break;
    case 'document':
      addDocument(parts, block);
      break;
    case 'tool_use':
      addText(parts, block.name);
      addJson(parts, block.input);
      break;
    case 'tool_result':
      addContent(parts, block.content);
      break;
    case 'text':
      addText(parts, block.text);
      break;
    case 'thinking':
      addText(parts, block.thinking);
      break;
    default:
      // What is not known here is a prompt all the same to whoever knows it.
      addJson(parts, block);
  }
}

function addDocument(parts: PromptParts, block: Body): void {
  const { source, title, context } = block;
  addText(parts, title);
  addText(parts, context);
  if (!isObject(source)) return;
  if (source.type === 'text') addText(parts, source.data);
  else if (source.type === 'content') addContent(parts, source.content);
  else addMedia(parts, perFile);
}

/** All of it but what steers the provider's cache. */
function addTool(parts: PromptParts, tool: Body): void {
  noteCacheControl(parts, tool);
  const { cache_control: _cache, ...rest } = tool;
  addJson(parts, rest);
}

function addJson(parts: PromptParts, value: unknown): void {
  if (value !== undefined && value !== null) addText(parts, JSON.stringify(value));
}

function addMedia(parts: PromptParts, tokens: number): void {
  parts.fixed += tokens;
  parts.media += tokens;
}

function addText(parts: PromptParts, text: unknown): void {
  if (typeof text === 'string' && text !== '') parts.texts.push(text);
}
