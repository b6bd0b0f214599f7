// Prompt content of Messages requests. Read loosely, since rejected requests are estimated too.
import { isObject } from '#server/framing/loose-json.ts';
import { addInlineMedia, addMedia, addMediaUrl, type MediaRates } from '../media-tokens.ts';
import { addJson, emptyPrompt, noteCacheControl, noteHosted, type PromptContent } from '../prompt-content.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { sinceCompaction } from './compaction.ts';
import { hosted } from './hosted-tools.ts';

const perMessage = 3;
const perTools = 340;
/** Maximum tokens of an image: older models, and models since Opus 4.7. https://platform.claude.com/docs/en/build-with-claude/vision */
const [perImage, mostOfImage] = [1600, 4784];
/** Tokens of a document of unknown size: a few pages. */
const perFile = 5000;
/**
 * Token rates. Documents are billed by page, https://platform.claude.com/docs/en/build-with-claude/pdf-support. Audio and
 * video have Google's rates, because only Google's models accept them from this format.
 */
const rates: MediaRates = { audioPerSecond: 32, videoPerSecond: 300, perPage: 3000 };

/** Other request fields that are part of the prompt. */
const listsOfPrompt = ['mcp_servers', 'context_management'];

export function promptContent(body: Body, _model = '', isLarge = false): PromptContent {
  const prompt = emptyPrompt(isLarge);
  noteCacheControl(prompt, body);
  addContent(prompt, body.system);
  for (const message of Array.isArray(body.messages) ? sinceCompaction(body.messages) : []) {
    if (!isObject(message)) continue;
    prompt.fixed += perMessage;
    addContent(prompt, message.content);
  }
  if (isObject(body.output_config)) addJson(prompt, body.output_config.format);
  for (const field of listsOfPrompt) addJson(prompt, body[field]);
  if (Array.isArray(body.tools) && body.tools.length > 0) {
    prompt.fixed += perTools;
    for (const tool of body.tools) if (isObject(tool)) addTool(prompt, tool);
    for (const { kind, most } of hosted.find(body)) noteHosted(prompt, kind, most);
  }
  return prompt;
}

function addContent(prompt: PromptContent, content: unknown): void {
  addText(prompt, content);
  for (const block of Array.isArray(content) ? content : []) if (isObject(block)) addBlock(prompt, block);
}

function addBlock(prompt: PromptContent, block: Body): void {
  noteCacheControl(prompt, block);
  switch (block.type) {
    case 'image':
      addSource(prompt, block.source, { usualType: 'image/*', guess: perImage });
      break;
    case 'document':
      addDocument(prompt, block);
      break;
    case 'tool_use':
      addText(prompt, block.name);
      addJson(prompt, block.input);
      break;
    case 'tool_result':
      addContent(prompt, block.content);
      break;
    case 'text':
      addText(prompt, block.text);
      break;
    case 'thinking':
      addText(prompt, block.thinking);
      break;
    default:
      // Unknown blocks may be part of the prompt.
      addJson(prompt, block);
  }
}

function addDocument(prompt: PromptContent, block: Body): void {
  const { source, title, context } = block;
  addText(prompt, title);
  addText(prompt, context);
  if (!isObject(source)) return;
  if (source.type === 'text') addText(prompt, source.data);
  else if (source.type === 'content') addContent(prompt, source.content);
  else addSource(prompt, source, { usualType: 'application/pdf', guess: perFile });
}

/** Adds the data or URL of a source, whatever its block; an id counts as `guess` tokens. */
function addSource(prompt: PromptContent, source: unknown, { usualType, guess }: { usualType: string; guess: number }): void {
  const { type, url, data, media_type: reported } = isObject(source) ? source : {};
  if (type === 'base64') {
    const named = typeof reported === 'string' ? reported.trim().toLowerCase() : usualType;
    const isImage = named.startsWith('image/');
    addInlineMedia(prompt, { data, mimeType: isImage ? usualType : named, rates, mostOfImage, guess: isImage ? guess : perFile });
  } else if (typeof url === 'string' && url.startsWith('data:')) {
    addMedia(prompt, { value: url, usualType, rates, guess, mostOfImage, guessOfOthers: perFile });
  } else addMediaUrl(prompt, url, { guess, mimeType: usualType, ...(usualType.startsWith('image/') ? { mostOfImage } : {}) });
}

/** Counts everything except cache control. */
function addTool(prompt: PromptContent, tool: Body): void {
  noteCacheControl(prompt, tool);
  const { cache_control: _cache, ...rest } = tool;
  addJson(prompt, rest);
}

function addText(prompt: PromptContent, text: unknown): void {
  if (typeof text === 'string' && text !== '') prompt.texts.push(text);
}
