// Prompt content of Interactions requests. Read loosely, since rejected requests are estimated too.
import { isObject } from '#server/framing/loose-json.ts';
import { addJson, emptyPrompt, noteHosted, type PromptContent } from '../../prompt-content.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { sourceOfUrl } from '../../media.ts';
import { addFile, addInline } from '../prompt-content.ts';
import { hostedPlaces } from './hosted-tools.ts';
import { isContent, stepsOf, usualTypes } from './items.ts';

const perStep = 3;
const perTools = 8;

export function promptContent(body: Body, _model = '', isLarge = false): PromptContent {
  const prompt = emptyPrompt(isLarge);
  addText(prompt, body.system_instruction);
  for (const step of stepsOf(body.input)) addStep(prompt, step);
  const tools: unknown[] = Array.isArray(body.tools) ? body.tools : [];
  if (tools.length > 0) prompt.fixed += perTools;
  for (const tool of tools) addJson(prompt, tool);
  for (const { kind, most } of hostedPlaces(body)) noteHosted(prompt, kind, most);
  addJson(prompt, body.response_format);
  return prompt;
}

/** Adds a step without its signature, which other vendors' models do not receive. */
function addStep(prompt: PromptContent, { signature: _signature, ...step }: Body): void {
  prompt.fixed += perStep;
  const { type, content, summary, result } = step;
  if (typeof step.role === 'string' || type === 'user_input' || type === 'model_output') addContent(prompt, content);
  else if (type === 'thought') addContent(prompt, summary);
  else if (type === 'function_result') addContent(prompt, result);
  else addJson(prompt, step);
}

function addContent(prompt: PromptContent, content: unknown): void {
  if (typeof content === 'string') addText(prompt, content);
  else if (Array.isArray(content)) for (const part of content) addPart(prompt, part);
  else if (isContent(content)) addPart(prompt, content);
  else addJson(prompt, content);
}

function addPart(prompt: PromptContent, part: unknown): void {
  if (!isObject(part)) return;
  if (part.type === 'text') return addText(prompt, part.text);
  if (!isContent(part)) return addJson(prompt, part);
  const { data, uri, mime_type: reported } = part;
  if (typeof data === 'string') addInline(prompt, { mimeType: typeOf(part, reported), data });
  else {
    const source = typeof uri === 'string' ? sourceOfUrl(uri) : null;
    if (source?.kind === 'base64') addInline(prompt, { mimeType: typeOf(part, source.mediaType), data: source.data });
    else addFile(prompt, { mimeType: typeOf(part, reported), uri });
  }
}

/** Returns the media type: audio counts as audio, whatever its stated type. */
function typeOf({ type }: Body, reported: unknown): unknown {
  if (type === 'audio' && !(typeof reported === 'string' && /^audio\//i.test(reported))) return usualTypes['audio'];
  return reported ?? usualTypes[String(type)];
}

function addText(prompt: PromptContent, text: unknown): void {
  if (typeof text === 'string' && text !== '') prompt.texts.push(text);
}
