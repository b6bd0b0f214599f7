// A sound that is given to be written down: how long it is, and what that costs where its provider does not tell.
import type { CallUnits } from '#shared/call-units.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import type { Body } from '#server/formats/strict-fields.ts';
import { lengthIn } from './sound-length.ts';

export interface InputAudio {
  /** As was counted, or as long as such a file usually is. */
  seconds: number;
  /** What it may be at the most. */
  mostSeconds: number;
}

const sounds = new WeakMap<MultipartFile, InputAudio>();

/** Null: there is none. It has been measured. */
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

/** One whose length is known. */
export function measuredSound(file: MultipartFile, seconds: number): MultipartFile {
  sounds.set(file, { seconds, mostSeconds: seconds });
  return file;
}

function givenSound({ file }: Body): MultipartFile | null {
  const given: unknown = Array.isArray(file) ? file[0] : undefined;
  return given instanceof MultipartFile ? given : null;
}

/**
 * Thousandths of a minute, of whole seconds: the tokens of models that are paid by the length of what they hear, and what a price per call is
 * a thousandth of.
 */
export function thousandthsOf(seconds: number): number {
  return Math.max(1, Math.round((Math.ceil(seconds) / 60) * 1000));
}

export function minutesOf(seconds: number): CallUnits {
  return { kind: 'minute', count: thousandthsOf(seconds), factor: 0.001 };
}

/**
 * Models whose provider bills the tokens that they hear and write. OpenAI bills those by the minute that have no price of tokens.
 * https://platform.openai.com/docs/guides/speech-to-text https://developers.openai.com/api/docs/models/gpt-live-transcribe
 */
export function isByTokens(model: string): boolean {
  const { vendor, record } = factsOf(model) ?? {};
  if (vendor === 'openai' && record !== undefined) return record.usd !== undefined;
  return /^gpt-|voxtral/.test(model);
}

/** A token is a tenth of a second. https://platform.openai.com/docs/guides/realtime-costs */
const inputTokensPerSecond = 10;
/** Of the fastest speakers, in languages with the longest tokens. */
const writtenPerSecond = 8;

export function inputAudioTokens(model: string, seconds: number): number {
  return isByTokens(model) ? Math.ceil(Math.max(1, seconds) * inputTokensPerSecond) : thousandthsOf(seconds);
}

export function mostWritten(model: string, seconds: number): number {
  return isByTokens(model) ? Math.ceil(Math.max(30, seconds) * writtenPerSecond) : 0;
}
