// Prompt content of `generateContent` requests. Read loosely, since rejected requests are estimated too.
import { isObject } from '#server/framing/loose-json.ts';
import { addInlineMedia, addMediaUrl, isAudio, type MediaRates } from '../media-tokens.ts';
import { addFileName, addJson, emptyPrompt, noteHosted, type PromptContent } from '../prompt-content.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { hosted } from './hosted-tools.ts';
import { looseMember as member } from '../proto-json.ts';

const perContent = 3;
const perTools = 8;
/** Upper-cased name, or the enum's number, which Google's JSON parsers accept. https://ai.google.dev/api/generate-content#Modality */
const audio: ReadonlySet<string> = new Set(['AUDIO', '3']);
/** https://ai.google.dev/gemini-api/docs/media-resolution */
const perImage = 1120;
/**
 * Older models: sixteen tiles of 768 × 768 pixels; newer ones 2,240 at the highest resolution. https://ai.google.dev/gemini-api/docs/tokens
 */
const mostOfImage = 16 * 258;
const perAudio = 960;
/** Tokens of a file of unknown size: a document of a few pages, or a minute of video. */
const perFile = 5000;
/** https://ai.google.dev/gemini-api/docs/tokens: one frame per second with audio; pages are images. */
const rates: MediaRates = { audioPerSecond: 32, videoPerSecond: 300, perPage: 258 };

export function promptContent(body: Body, _model = '', isLarge = false): PromptContent {
  const whole = member(body, 'generateContentRequest');
  if (isObject(whole)) return promptContent(whole, '', isLarge);
  const prompt = emptyPrompt(isLarge);
  addContent(prompt, member(body, 'systemInstruction'));
  for (const content of listOf(body.contents)) {
    prompt.fixed += perContent;
    addContent(prompt, content);
  }
  const tools = listOf(body.tools);
  if (tools.length > 0) prompt.fixed += perTools;
  for (const tool of tools) addJson(prompt, tool);
  for (const { kind, most } of hosted.find(body)) noteHosted(prompt, kind, most);
  const config = member(body, 'generationConfig');
  if (isObject(config)) {
    addJson(prompt, member(config, 'responseSchema'));
    addJson(prompt, member(config, 'responseJsonSchema'));
    prompt.isSpoken = listOf(member(config, 'responseModalities')).some((modality) => audio.has(String(modality).toUpperCase()));
  }
  return prompt;
}

function addContent(prompt: PromptContent, content: unknown): void {
  if (typeof content === 'string') addText(prompt, content);
  if (!isObject(content)) return;
  for (const part of listOf(content.parts)) if (isObject(part)) addPart(prompt, part);
}

function addPart(prompt: PromptContent, part: Body): void {
  const [inline, file] = [member(part, 'inlineData'), member(part, 'fileData')];
  for (const one of [inline, file]) if (isObject(one)) addFileName(prompt, member(one, 'displayName'));
  if (isObject(inline)) addInline(prompt, { mimeType: member(inline, 'mimeType'), data: inline.data });
  else if (isObject(file)) addFile(prompt, { mimeType: member(file, 'mimeType'), uri: member(file, 'fileUri') });
  else if (part.text !== undefined) addText(prompt, part.text);
  else addOther(prompt, part);
}

/** Counts calls, results and unknown parts without signatures. */
function addOther(prompt: PromptContent, { thoughtSignature: _camel, thought_signature: _snake, ...part }: Body): void {
  const result = member(part, 'functionResponse');
  if (!isObject(result)) {
    addJson(prompt, part);
    return;
  }
  const { parts, ...rest } = result;
  addJson(prompt, rest);
  for (const inner of listOf(parts)) if (isObject(inner)) addPart(prompt, inner);
}

export function addInline(prompt: PromptContent, { mimeType: reported, data }: { mimeType: unknown; data: unknown }): void {
  const mimeType = typeOf(reported);
  addInlineMedia(prompt, { data, mimeType, rates, guess: guessOf(mimeType), mostOfImage });
}

/** Adds a file given by URL or id: only its type is known. */
export function addFile(prompt: PromptContent, { mimeType: reported, uri }: { mimeType: unknown; uri: unknown }): void {
  const mimeType = typeOf(reported);
  addMediaUrl(prompt, uri, { guess: guessOf(mimeType), mimeType, ...(mimeType.startsWith('image/') ? { mostOfImage } : {}) });
}

function typeOf(reported: unknown): string {
  return typeof reported === 'string' ? reported.toLowerCase() : '';
}

function guessOf(mimeType: string): number {
  return isAudio(mimeType) ? perAudio : mimeType.startsWith('image/') ? perImage : perFile;
}

function addText(prompt: PromptContent, text: unknown): void {
  if (typeof text === 'string' && text !== '') prompt.texts.push(text);
}

/** Reads a list: providers accept a single object. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}
