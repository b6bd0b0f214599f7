// Refuses session parameters that reference objects in the provider's account, which belong to no caller, or hosted tools, which
// the usage of a turn does not include.
import { AppError } from '#shared/errors.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import { refused } from './session-events.ts';

const hostedTool = {
  zh: '此处的会话不支持在服务商处运行的工具',
  en: 'tools that run at the provider are not served in sessions here',
};
const oneSessionKind = { zh: '不能以两种写法同时给出', en: 'cannot be given in two forms together' };
/** Members of an item that reference objects in the provider's account. */
const accountObjects = ['file_id', 'file_ids', 'vector_store_ids'];

/**
 * @param value parameters of a `session.update` or a `response.create`, or an item
 * @throws {AppError} with the field at fault
 */
export function checkSessionRequest(at: 'session' | 'response' | 'item', value: unknown, route: ChannelRoute): void {
  if (!isObject(value)) return;
  if (at === 'item') {
    checkItem(at, value);
    return;
  }
  if (value.prompt !== undefined && value.prompt !== null) throw notStored(`${at}.prompt`);
  if (route.setting.allowsSurcharges !== true) checkTools(at, value.tools);
  checkForms(at, value);
  checkVoices(at, value);
  if (!Array.isArray(value.input)) return;
  for (const [index, item] of value.input.entries()) if (isObject(item)) checkItem(`${at}.input.${index}`, item);
}

/** Reports whether a response may have another input than the conversation, or only a part of it. */
export function isReadApart(response: unknown): boolean {
  if (!isObject(response)) return false;
  const { conversation = 'auto', input, instructions, tools } = response;
  return conversation !== 'auto' || input !== undefined || instructions !== undefined || tools !== undefined;
}

function checkTools(at: string, tools: unknown): void {
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    // In a session, clients run functions only; other tools are hosted.
    if (isObject(tool) && tool.type !== undefined && tool.type !== 'function') throw refused(`${at}.tools.${index}.type`, hostedTool);
  }
}

/** Refuses a voice given by id, which is an object of the account; other voices have names. https://platform.openai.com/docs/guides/text-to-speech#custom-voices */
function checkVoices(at: string, value: Readonly<Record<string, unknown>>): void {
  const { audio, voice } = value;
  const output = isObject(audio) && isObject(audio.output) ? audio.output : {};
  if (isObject(voice)) throw notStored(`${at}.voice.id`);
  if (isObject(output.voice)) throw notStored(`${at}.audio.output.voice.id`);
}

/** Refuses a field in both its forms, of which providers read only one. */
function checkForms(at: string, value: Readonly<Record<string, unknown>>): void {
  const { audio } = value;
  const input = isObject(audio) && isObject(audio.input) ? audio.input : {};
  if (input.transcription !== undefined && value.input_audio_transcription !== undefined)
    throw refused(`${at}.input_audio_transcription`, oneSessionKind);
  if (input.turn_detection !== undefined && value.turn_detection !== undefined) throw refused(`${at}.turn_detection`, oneSessionKind);
}

function checkItem(at: string, item: Readonly<Record<string, unknown>>): void {
  const parts: unknown[] = Array.isArray(item.content) ? [item, ...item.content] : [item];
  for (const part of parts) {
    if (!isObject(part)) continue;
    const name = accountObjects.find((field) => part[field] !== undefined && part[field] !== null);
    if (name !== undefined) throw notStored(`${at}.${name}`);
  }
}

function notStored(field: string): AppError {
  return new AppError('responses_not_kept', { field }, { field });
}
