// Length of a sound to transcribe, and its price where the provider reports none.
import type { CallUnits } from '#shared/call-units.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { lengthIn } from './sound-length.ts';

export interface InputAudio {
  /** Counted length, or the usual length of a file of this size. */
  seconds: number;
  /** Upper bound of the length. */
  mostSeconds: number;
}

const sounds = new WeakMap<MultipartFile, InputAudio>();

/** Returns the measured sound of a request, or null if it has none. */
export function soundIn(body: Body): InputAudio | null {
  const given = givenSound(body);
  if (given === null) return null;
  const sound = sounds.get(given);
  if (sound === undefined) throw new Error('A sound is asked for before it was measured');
  return sound;
}

export async function measureSound(body: Body): Promise<void> {
  const given = givenSound(body);
  if (given === null) return;
  const { usual, most } = await lengthIn(given.content);
  sounds.set(given, { seconds: usual, mostSeconds: most });
}

/** Returns `file` with a known length. */
export function measuredSound(file: MultipartFile, seconds: number): MultipartFile {
  sounds.set(file, { seconds, mostSeconds: seconds });
  return file;
}

function givenSound({ file }: Body): MultipartFile | null {
  const given: unknown = Array.isArray(file) ? file[0] : undefined;
  return given instanceof MultipartFile ? given : null;
}

/** Thousandths of a minute for whole seconds: the unit of models billed by audio length, and of prices per call. */
export function thousandthsOf(seconds: number): number {
  return Math.max(1, Math.round((Math.ceil(seconds) / 60) * 1000));
}

export function minutesOf(seconds: number): CallUnits {
  return { kind: 'minute', count: thousandthsOf(seconds), factor: 0.001 };
}

/**
 * Reports whether the provider bills the model's audio and text tokens. OpenAI bills by the minute the models that have
 * no token price.
 * https://platform.openai.com/docs/guides/speech-to-text
 * https://developers.openai.com/api/docs/models/gpt-live-transcribe
 */
export function isByTokens(model: string): boolean {
  const { vendor, record } = factsOf(model) ?? {};
  if (vendor === 'openai' && record !== undefined) return record.usd !== undefined;
  return /^gpt-|voxtral/.test(model);
}

/** A token is a tenth of a second. https://platform.openai.com/docs/guides/realtime-costs */
const inputTokensPerSecond = 10;
/** Tokens per second of the fastest speakers, in languages with the longest tokens. */
const writtenPerSecond = 8;

export function inputAudioTokens(model: string, seconds: number): number {
  return isByTokens(model) ? Math.ceil(Math.max(1, seconds) * inputTokensPerSecond) : thousandthsOf(seconds);
}

export function mostWritten(model: string, seconds: number): number {
  return isByTokens(model) ? Math.ceil(Math.max(30, seconds) * writtenPerSecond) : 0;
}
