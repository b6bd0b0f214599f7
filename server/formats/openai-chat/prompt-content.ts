// Prompt content of chat completion requests.
import { isObject } from '#server/framing/loose-json.ts';
import { addMedia, type MediaRates } from '../media-tokens.ts';
import { addFileName, addJson, emptyPrompt, noteCacheControl, noteHosted, type PromptContent } from '../prompt-content.ts';
import { type PictureWorth, pictureWorth } from '../picture-cost.ts';
import { qwenImage } from '../qwen-images.ts';
import { hosted } from './hosted-tools.ts';

type Body = Readonly<Record<string, unknown>>;

const perMessage = 3;
const perName = 1;
const replyPrimer = 3;
const perTools = 8;
const perAudio = 100;
const perFile = 5000;
/** Maximum tokens of a video frame at Alibaba: 655,360 pixels, of which 32 × 32 are a token. https://www.alibabacloud.com/help/en/model-studio/vision */
const perFrame = 640;
/** Token rates of media. https://platform.openai.com/docs/guides/realtime-costs, https://platform.openai.com/docs/guides/pdf-files; video as Google counts it. */
const rates: MediaRates = { audioPerSecond: 10, videoPerSecond: 300, perPage: 2000 };

/** Estimates an image part. */
type WorthOf = (part: Body) => PictureWorth;

export function promptContent(body: Body, model: string, isLarge = false): PromptContent {
  const prompt = emptyPrompt(isLarge);
  addChat(prompt, body, model);
  for (const { kind, most } of hosted.find(body)) noteHosted(prompt, kind, most);
  prompt.isSpoken = Array.isArray(body.modalities) && body.modalities.includes('audio');
  return prompt;
}

function addChat(prompt: PromptContent, body: Body, model: string): void {
  const worthOf: WorthOf = (part) => qwenImage(model, body, part) ?? pictureWorth(model, pictureIn(part['image_url']));
  if (body.cache_control !== undefined) noteCacheControl(prompt, body);
  const messages: readonly unknown[] = Array.isArray(body.messages) ? body.messages : [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!isObject(message)) continue;
    prompt.fixed += perMessage;
    if (message.cache_control !== undefined) noteCacheControl(prompt, message);
    addText(prompt, message.role);
    if (typeof message.name === 'string') {
      prompt.fixed += perName;
      prompt.texts.push(message.name);
    }
    if (Array.isArray(message.content)) addContent(prompt, message.content, worthOf);
    else addText(prompt, message.content);
    if (message.reasoning_content !== undefined) addText(prompt, message.reasoning_content);
    if (message.tool_calls !== undefined) addJson(prompt, message.tool_calls);
  }
  prompt.fixed += replyPrimer;
  if (Array.isArray(body.tools) && body.tools.length > 0) {
    prompt.fixed += perTools;
    for (const tool of body.tools) addTool(prompt, tool);
  }
  if (body.functions !== undefined) addJson(prompt, body.functions);
  if (isObject(body.response_format)) addJson(prompt, body.response_format.json_schema);
}

function addContent(prompt: PromptContent, content: readonly unknown[], worthOf: WorthOf): void {
  for (const part of content) {
    if (!isObject(part)) continue;
    noteCacheControl(prompt, part);
    if (part.type === 'image_url') addImage(prompt, part.image_url, worthOf(part));
    else if (part.type === 'input_audio') addAudio(prompt, part.input_audio);
    else if (part.type === 'file') {
      const { file_data: data, filename }: Body = isObject(part.file) ? part.file : {};
      addFileName(prompt, filename);
      addFile(prompt, data, 'application/pdf');
    } else if (part.type === 'video_url') addFile(prompt, urlOf(part.video_url), 'video/mp4');
    else if (part.type === 'video') addVideo(prompt, part.video);
    else if (part.type === 'document_url') addFile(prompt, urlOf(part.document_url), 'application/pdf');
    else addText(prompt, part.text ?? part.refusal);
  }
}

function addTool(prompt: PromptContent, tool: unknown): void {
  if (isObject(tool)) noteCacheControl(prompt, tool);
  const definition = isObject(tool) ? ([tool.function, tool.custom].find(isObject) ?? tool) : tool;
  if (!isObject(definition)) return;
  addText(prompt, definition.name);
  addText(prompt, definition.description);
  addJson(prompt, definition.parameters);
  addJson(prompt, definition.format);
}

function pictureIn(image: unknown): { url: unknown; detail: unknown } {
  return { url: urlOf(image), detail: isObject(image) ? image.detail : undefined };
}

function addImage(prompt: PromptContent, image: unknown, { guess, most }: ReturnType<WorthOf>): void {
  addMedia(prompt, { value: urlOf(image), usualType: 'image/*', rates, guess, mostOfImage: most, guessOfOthers: perFile });
}

function addAudio(prompt: PromptContent, audio: unknown): void {
  const value = isObject(audio) ? audio.data : undefined;
  addMedia(prompt, { value, usualType: 'audio/*', rates, guess: perAudio, guessOfOthers: perFile });
}

/** Alibaba's video: a URL, data, or a list of frames. */
function addVideo(prompt: PromptContent, video: unknown): void {
  if (!Array.isArray(video)) return addFile(prompt, urlOf(video), 'video/mp4');
  for (const frame of video)
    addMedia(prompt, { value: urlOf(frame), usualType: 'image/*', rates, guess: perFrame, guessOfOthers: perFile });
}

/** Returns the URL of a member; some providers wrap it in an object. */
function urlOf(value: unknown): unknown {
  return isObject(value) ? value.url : value;
}

/** @param url data URL or URL */
function addFile(prompt: PromptContent, url: unknown, usualType: string): void {
  addMedia(prompt, { value: url, usualType, rates, guess: perFile, guessOfOthers: perFile });
}

function addText(prompt: PromptContent, text: unknown): void {
  if (typeof text === 'string' && text !== '') prompt.texts.push(text);
}
