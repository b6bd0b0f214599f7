// One turn of a realtime session, as money and admission see it: a body made from the session's state, never sent.
import type { CallUnits } from '#shared/call-units.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { minutesOf } from '#server/kinds/audio/input-audio.ts';
import { requestedByBody, type RequestedCall } from '#server/formats/call-address.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import { criticalMembers, openBelow } from '#server/formats/critical-members.ts';
import { emptyPrompt, type PromptContent } from '#server/formats/prompt-content.ts';
import { badField, type Body } from '#server/framing/strict-fields.ts';

/** Tokens of the conversation before the turn. */
export interface ContextSize {
  text: number;
  audio: number;
  image: number;
}

/** Body of a turn to reserve for. */
export function turnBody(model: string, { text, audio, image }: ContextSize): Record<string, unknown> {
  return { model, text, audio, image };
}

/** Body of an input transcription, which is outside the conversation. */
export function transcriptionBody(model: string, seconds: number): Record<string, unknown> {
  return { model, seconds };
}

/** Body of a session's minute, or of as much of it as is paid for. */
export function minuteBody(model: string): Record<string, unknown> {
  return { model };
}

const longestModel = 200;

export const realtimeClient: ClientCall = {
  read: readRequest,
  check() {},
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent,
  // Members of a client's events.
  names: openBelow(
    criticalMembers([
      'type',
      'event_id',
      'session',
      'model',
      'audio',
      'item',
      'response',
      'input_audio_transcription',
      'turn_detection',
      'max_output_tokens',
      'max_response_output_tokens',
      'input',
      'transcription',
      'input_audio_format',
      'format',
      'rate',
      'instructions',
      'conversation',
      'content',
      'image_url',
      'tools',
      'prompt',
      'output',
      'voice',
      'file_id',
      'file_ids',
      'vector_store_ids',
    ]),
    'input',
  ),
};

function readRequest(body: Body): RequestedCall {
  const requested = requestedByBody(body);
  if (requested.model.length > longestModel) throw badField('model', fieldRules.longest(longestModel));
  return { ...requested, isStream: true };
}

function promptContent(body: Body): PromptContent {
  const prompt = emptyPrompt();
  const [text, audio, image] = [numberIn(body.text), numberIn(body.audio), numberIn(body.image)];
  prompt.fixed = text + audio + image;
  prompt.audio = audio;
  prompt.audioMost = audio;
  prompt.image = image;
  prompt.imageMost = image;
  prompt.isSpoken = true;
  return prompt;
}

/** Same as the content of a turn, for a transcription: at most `mostWritten` tokens are generated. */
export function transcriptionContent(
  tokens: (seconds: number) => { received: number; written: number; audio: number },
): ClientCall['promptContent'] {
  return (body) => {
    const prompt = emptyPrompt();
    const seconds = numberIn(body.seconds);
    const { received, written, audio } = tokens(seconds);
    prompt.fixed = received;
    prompt.audio = audio;
    prompt.audioMost = audio;
    prompt.made = () => ({ units: minutesOf(seconds), tokens: written });
    return prompt;
  };
}

/** Content of a session's minute: a price per call, reserved for up to `most` seconds, or for `least` if the account has no more. */
export function minuteContent(most: number, least: number): ClientCall['promptContent'] {
  return () => ({ ...emptyPrompt(), made: () => ({ units: sessionMinutes(most), leastUnits: sessionMinutes(least), tokens: 0 }) });
}

/** Thousandths of a minute, rounded up: vendors bill each second. */
export function sessionMinutes(seconds: number): CallUnits {
  return { kind: 'minute', count: Math.ceil((Math.ceil(seconds) * 1000) / 60), factor: 0.001 };
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
