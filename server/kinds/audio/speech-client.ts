// Speech requests of callers. https://platform.openai.com/docs/api-reference/audio/createSpeech
import { fieldRules } from '#shared/field-rules.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import { requestedByBody, type RequestedCall } from '#server/formats/call-address.ts';
import type { ClientCall, StreamVoice } from '#server/formats/client-dialect.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import { addMediaTokens, emptyPrompt, type PromptContent } from '#server/formats/prompt-content.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { charactersIn, charactersOf, mostCharacters, mostSpoken, soundType, speaksTokens, wideCharactersIn } from './spoken-sound.ts';

/** Model of requests that name none. */
const usualModel = 'tts-1';
const [slowest, fastest] = [0.25, 4];
const longestWord = 32;
/** Characters; providers take between 4,000 and 100,000 of them. */
const longestInput = 200_000;

export const speechClient: ClientCall = {
  read: readRequest,
  check,
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent,
  names: criticalMembers(['model', 'input', 'instructions', 'voice', 'id', 'response_format', 'speed', 'stream_format']),
  responseFields: ({ stream_format, response_format, input }) => ({
    stream_format,
    response_format,
    characters: typeof input === 'string' ? charactersIn(input) : 0,
    wideCharacters: typeof input === 'string' ? wideCharactersIn(input) : 0,
  }),
  voiceOf: (requested) => (wantsEvents(requested) ? undefined : mute),
  probe: (model) => ({ model, input: 'Hi', voice: 'alloy' }),
};

/** Stream voice of raw sound: neither keep-alives nor errors can be sent between its bytes. */
export const mute: StreamVoice = { isMute: true, keepAlive: () => '', fail: () => '' };

export function wantsEvents({ stream_format: format }: Body): boolean {
  return format === 'sse';
}

/** Speech responses always stream. */
function readRequest(body: Body): RequestedCall {
  const requested = body.model === undefined || body.model === null || body.model === '' ? { model: usualModel } : requestedByBody(body);
  return { ...requested, isStream: true, ...(wantsEvents(body) ? {} : { streamType: soundType(body.response_format) }) };
}

function check(body: Body): void {
  const fields = new StrictFields(body);
  const input = fields.requiredText('input');
  if (input === '') throw badField('input', fieldRules.required);
  if (input.length > longestInput) throw badField('input', fieldRules.longest(longestInput));
  fields.text('instructions');
  if ((fields.text('response_format')?.length ?? 0) > longestWord) throw badField('response_format', fieldRules.longest(longestWord));
  if (fields.has('stream_format')) fields.oneOf('stream_format', ['audio', 'sse']);
  const speed = fields.number('speed');
  if (speed !== undefined && (speed < slowest || speed > fastest)) {
    const rule = { zh: `必须在 ${slowest} 和 ${fastest} 之间`, en: `must be between ${slowest} and ${fastest}` };
    throw badField('speed', rule);
  }
  if (isObject(body.voice) && body.voice.id !== undefined) refuseAccountObject('voice.id');
}

function promptContent({ input, instructions, speed }: Body, model: string): PromptContent {
  const prompt = emptyPrompt();
  const texts = [input, instructions].filter((text) => typeof text === 'string');
  const said = typeof input === 'string' ? input : '';
  const characters = charactersIn(said);
  if (speaksTokens(model)) prompt.texts.push(...texts);
  else {
    prompt.untokened = texts;
    const counted = Math.max(1, mostCharacters(model, said));
    // An alias may resolve to a model that counts wide characters twice.
    const most = characters + wideCharactersIn(said);
    if (most > counted) addMediaTokens(prompt, counted, { most });
    else prompt.fixed += counted;
  }
  prompt.isSpoken = speaksTokens(model);
  prompt.made = ({ upstreamModel, paramOverride }) => ({
    units: charactersOf(mostCharacters(upstreamModel, said)),
    tokens: mostSpoken(upstreamModel, characters, paramOverride?.speed ?? speed),
  });
  return prompt;
}
