// Transcription requests of callers: multipart forms with one file.
// https://platform.openai.com/docs/api-reference/audio
import { fieldRules } from '#shared/field-rules.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import { requestedByBody, type RequestedCall } from '#server/formats/call-address.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import { boundaryIn, type MultipartFields } from '#server/formats/multipart-body.ts';
import { addMediaTokens, emptyPrompt, type PromptContent } from '#server/formats/prompt-content.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { inputAudioTokens, isByTokens, measureSound, minutesOf, mostWritten, soundIn } from './input-audio.ts';
import { testSound } from './test-sound.ts';

export type TranscriptFormat = (typeof transcriptFormats)[number];
const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
const translationFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;

/** Model of requests that name none. */
const usualModel = 'whisper-1';
const form: MultipartFields = { numbers: ['temperature'], flags: ['stream'], files: ['file'], look: measureSound };
const names = criticalMembers(['model', 'file', 'file_id', 'file_url', 'stream', 'response_format', 'prompt']);

export const transcriptionsClient: ClientCall = {
  read: readRequest,
  check: (body) => check(body, transcriptFormats),
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent,
  names,
  form,
  responseFields,
  probe: testSound,
};

export const translationsClient: ClientCall = {
  ...transcriptionsClient,
  read: (body) => ({ ...readRequest(body), isStream: false }),
  check: (body) => check(body, translationFormats),
};

function readRequest(body: Body): RequestedCall {
  if (body.model !== undefined && body.model !== '') return requestedByBody(body);
  return { model: usualModel, isStream: body.stream === true };
}

const aFile = { zh: '必须是表单（multipart/form-data）中的文件', en: 'must be a file of a form (multipart/form-data)' };

function check(body: Body, formats: readonly TranscriptFormat[]): void {
  const { file } = body;
  const fields = new StrictFields(body);
  refuseAccountObject(fields.has('file_id') ? 'file_id' : undefined);
  if (fields.has('file_url')) throw badField('file_url', { zh: `不支持：file ${aFile.zh}`, en: `is not supported: file ${aFile.en}` });
  if (boundaryIn(body) === undefined) throw badField('file', aFile);
  if (!Array.isArray(file) || file.length === 0) throw badField('file', fieldRules.required);
  if (file.length > 1) throw badField('file', fieldRules.standsOnce);
  fields.boolean('stream');
  if (fields.has('response_format')) fields.oneOf('response_format', formats);
}

function promptContent(body: Body, model: string): PromptContent {
  const prompt = emptyPrompt();
  const sound = soundIn(body);
  if (typeof body.prompt === 'string') {
    if (isByTokens(model)) prompt.texts.push(body.prompt);
    else prompt.untokened = [body.prompt];
  }
  if (sound === null) return prompt;
  const { seconds, mostSeconds } = sound;
  const [tokens, most] = [inputAudioTokens(model, seconds), inputAudioTokens(model, mostSeconds)];
  // A counted length is exact.
  if (tokens === most) prompt.fixed += tokens;
  else addMediaTokens(prompt, tokens, { most });
  if (isByTokens(model)) {
    prompt.audio += tokens;
    prompt.audioMost += most;
  }
  prompt.made = ({ upstreamModel }) => ({ units: minutesOf(mostSeconds), tokens: mostWritten(upstreamModel, mostSeconds) });
  return prompt;
}

/** Request fields that decide the response's format, and its price if no usage is reported. */
function responseFields(body: Body): Record<string, unknown> {
  return { response_format: body.response_format, seconds: soundIn(body)?.seconds };
}
