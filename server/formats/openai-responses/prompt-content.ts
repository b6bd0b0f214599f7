// Prompt content of Responses requests. Read loosely, since rejected requests are estimated too.
import { isObject } from '#server/framing/loose-json.ts';
import { addMedia, type MediaRates } from '../media-tokens.ts';
import { pictureWorth } from '../picture-cost.ts';
import { addFileName, addJson, emptyPrompt, noteHosted, type PromptContent } from '../prompt-content.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { hosted } from './hosted-tools.ts';

const perItem = 3;
const replyPrimer = 3;
const perTools = 8;
const perAudio = 100;
const perFile = 5000;
/** https://platform.openai.com/docs/guides/realtime-costs, https://platform.openai.com/docs/guides/pdf-files; video as Google counts it. */
const rates: MediaRates = { audioPerSecond: 10, videoPerSecond: 300, perPage: 2000 };

export function promptContent(body: Body, model: string, isLarge = false): PromptContent {
  const prompt = emptyPrompt(isLarge);
  addText(prompt, body.instructions);
  addText(prompt, body.input);
  for (const item of Array.isArray(body.input) ? body.input : []) if (isObject(item)) addItem(prompt, item, model);
  prompt.fixed += replyPrimer;
  if (Array.isArray(body.tools) && body.tools.length > 0) {
    prompt.fixed += perTools;
    for (const tool of body.tools) addJson(prompt, tool);
  }
  for (const { kind, most } of hosted.find(body)) noteHosted(prompt, kind, most);
  if (isObject(body.text)) addJson(prompt, body.text.format);
  return prompt;
}

function addItem(prompt: PromptContent, item: Body, model: string): void {
  prompt.fixed += perItem;
  switch (item.type) {
    case undefined:
    case null:
    case 'message':
      addContent(prompt, item.content, model);
      break;
    case 'function_call':
    case 'custom_tool_call':
      addText(prompt, item.name);
      addText(prompt, item.arguments ?? item.input);
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
      addContent(prompt, item.output, model);
      break;
    case 'reasoning':
      addContent(prompt, item.summary, model);
      break;
    default:
      // Unknown items may be part of the prompt.
      addJson(prompt, item);
  }
}

function addContent(prompt: PromptContent, content: unknown, model: string): void {
  addText(prompt, content);
  for (const part of Array.isArray(content) ? content : []) {
    if (!isObject(part)) continue;
    if (isObject(part.prompt_cache_breakpoint)) prompt.cacheWrite ??= 'cacheWrite5m';
    if (part.type === 'input_image') {
      const { guess, most } = pictureWorth(model, { url: part.image_url, detail: part.detail });
      addMedia(prompt, { value: part.image_url, usualType: 'image/*', rates, guess, mostOfImage: most, guessOfOthers: perFile });
    } else if (part.type === 'input_file') addFile(prompt, part);
    else if (part.type === 'input_audio') {
      const value = isObject(part.input_audio) ? part.input_audio.data : undefined;
      addMedia(prompt, { value, usualType: 'audio/*', rates, guess: perAudio, guessOfOthers: perFile });
    } else addText(prompt, part.text ?? part.refusal);
  }
}

/** Adds a file; with both data and URL, both count, because the provider decides which one it uses. */
function addFile(prompt: PromptContent, { file_data: data, file_url: url, filename }: Body): void {
  addFileName(prompt, filename);
  const given = [data, url].filter((value) => typeof value === 'string');
  for (const value of given.length === 0 ? [undefined] : given)
    addMedia(prompt, { value, usualType: 'application/pdf', rates, guess: perFile, guessOfOthers: perFile });
}

function addText(prompt: PromptContent, text: unknown): void {
  if (typeof text === 'string' && text !== '') prompt.texts.push(text);
}
