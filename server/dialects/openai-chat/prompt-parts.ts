// What of a chat completion or embeddings request counts as prompt tokens.
import { isObject } from '#server/framing/loose-json.ts';
import { noteCacheControl } from '../prompt-parts.ts';
import type { PromptParts } from '../prompt-parts.ts';

type Body = Readonly<Record<string, unknown>>;

const perMessage = 3;
const perName = 1;
const replyPrimer = 3;
const perTools = 8;
const perAudio = 100;
const perFile = 5000;
const lowDetail = 85;

/** An image of unknown size. Never fetched: a count must not depend on other machines. */
interface ImageCost {
  base: number;
  fixed?: number;
}

export function promptParts(body: Body, model: string): PromptParts {
  const parts: PromptParts = { texts: [], fixed: 0, media: 0, cacheWrite: null };
  addChat(parts, body, imageCostOf(model));
  return parts;
}

export function embeddingsParts({ input }: Body): PromptParts {
  const parts: PromptParts = { texts: [], fixed: 0, media: 0, cacheWrite: null };
  addInput(parts, input);
  return parts;
}

function addInput(parts: PromptParts, input: unknown): void {
  if (typeof input === 'string') parts.texts.push(input);
  // Token ids, one by one or in lists.
  else if (typeof input === 'number') parts.fixed += 1;
  else if (Array.isArray(input)) for (const item of input) addInput(parts, item);
  else if (isObject(input)) {
    if (typeof input.text === 'string') parts.texts.push(input.text);
    if (input.image !== undefined) addMedia(parts, 3 * lowDetail);
  }
}

function addChat(parts: PromptParts, body: Body, image: ImageCost): void {
  noteCacheControl(parts, body);
  const messages = Array.isArray(body.messages) ? body.messages : [];
  for (const message of messages) {
    if (!isObject(message)) continue;
    parts.fixed += perMessage;
    noteCacheControl(parts, message);
    addText(parts, message.role);
    if (typeof message.name === 'string') {
      parts.fixed += perName;
      parts.texts.push(message.name);
    }
    addContent(parts, message.content, image);
    addText(parts, message.reasoning_content);
    addJson(parts, message.tool_calls);
  }
  parts.fixed += replyPrimer;
  if (Array.isArray(body.tools) && body.tools.length > 0) {
    parts.fixed += perTools;
    for (const tool of body.tools) addTool(parts, tool);
  }
  addJson(parts, body.functions);
  if (isObject(body.response_format)) addJson(parts, body.response_format.json_schema);
}

function addContent(parts: PromptParts, content: unknown, image: ImageCost): void {
  addText(parts, content);
  if (!Array.isArray(content)) return;
  for (const part of content) {
    if (!isObject(part)) continue;
    noteCacheControl(parts, part);
    if (part.type === 'image_url') addMedia(parts, imageTokens(part.image_url, image));
    else if (part.type === 'input_audio') addMedia(parts, perAudio);
    else if (part.type === 'file') addMedia(parts, perFile);
    else addText(parts, part.text ?? part.refusal);
  }
}

function addTool(parts: PromptParts, tool: unknown): void {
  if (isObject(tool)) noteCacheControl(parts, tool);
  const definition = isObject(tool) && isObject(tool.function) ? tool.function : tool;
  if (!isObject(definition)) return;
  addText(parts, definition.name);
  addText(parts, definition.description);
  addJson(parts, definition.parameters);
}

function imageCostOf(model: string): ImageCost {
  if (model === 'glm-4v') return { base: lowDetail, fixed: 1047 };
  return { base: model.startsWith('gpt-4o-mini') ? 2833 : 85 };
}

function imageTokens(image: unknown, cost: ImageCost): number {
  if (cost.fixed !== undefined) return cost.fixed;
  return isObject(image) && image.detail === 'low' ? lowDetail : 3 * cost.base;
}

function addMedia(parts: PromptParts, tokens: number): void {
  parts.fixed += tokens;
  parts.media += tokens;
}

function addText(parts: PromptParts, text: unknown): void {
  if (typeof text === 'string' && text !== '') parts.texts.push(text);
}

function addJson(parts: PromptParts, value: unknown): void {
  if (value !== undefined && value !== null) parts.texts.push(JSON.stringify(value));
}
