// Billing units of synthesized sound, and estimates of its length by size.
import type { CallUnits } from '#shared/call-units.ts';
import { secondsOf } from './sound-length.ts';

/**
 * Reports whether the provider bills text and audio tokens; other models are billed by the character.
 * https://platform.openai.com/docs/pricing
 */
export function speaksTokens(model: string): boolean {
  return /^gpt-|gemini.*tts|^qwen-tts/.test(model);
}

export function charactersIn(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/** A price per call buys a thousand characters. */
export function charactersOf(count: number): CallUnits {
  return { kind: 'character', count: Math.max(1, count), factor: 0.001 };
}

/**
 * Models whose provider counts Chinese, Japanese and Korean characters twice.
 * https://platform.minimax.io/docs/guides/pricing
 * Doubao Voice's models are named by their resource and settled by reported usage; this is their upper bound.
 */
const countsTwice = /^(?:speech-\d|qwen\d+-tts|cosyvoice|seed-(?:tts|icl)|volc\.)/;

/** Upper bound of the characters that the model's provider bills. */
export function mostCharacters(model: string, text: string): number {
  return billedCharacters(model, { characters: charactersIn(text), wideCharacters: wideCharactersIn(text) }) ?? 0;
}

/** Billed characters of a text with these counts; undefined if the count is unknown. */
export function billedCharacters(model: string, { characters, wideCharacters }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof characters !== 'number') return undefined;
  return characters + (typeof wideCharacters === 'number' && countsTwice.test(model) ? wideCharacters : 0);
}

/** Number of Chinese, Japanese and Korean characters. */
export function wideCharactersIn(text: string): number {
  let count = 0;
  for (const character of text) if ((character.codePointAt(0) ?? 0) >= 0x2e80) count += 1;
  return count;
}

/**
 * OpenAI: $0.015 a minute at $12 a million; Google: 25; Ali: 50. https://platform.openai.com/docs/pricing
 * https://ai.google.dev/gemini-api/docs/tokens
 */
function tokensPerSecond(model: string): number {
  if (model.startsWith('qwen-tts')) return 50;
  return model.includes('gemini') ? 25 : 1250 / 60;
}

/** Seconds of the slowest characters, such as Chinese ones. */
const longestCharacter = 0.3;

/**
 * Upper bound of the sound's tokens.
 * @param speed requested speed; undefined for the normal one
 */
export function mostSpoken(model: string, characters: number, speed: unknown): number {
  if (!speaksTokens(model)) return 0;
  // Some models ignore the speed, so faster than normal is not assumed.
  const factor = typeof speed === 'number' && speed > 0 ? Math.min(1, speed) : 1;
  return Math.ceil((Math.max(10, characters * longestCharacter) / factor) * tokensPerSecond(model));
}

/**
 * Media type and usual bytes per second.
 * https://platform.openai.com/docs/guides/text-to-speech#supported-output-formats
 */
const formats: Readonly<Record<string, { type: string; rate: number }>> = {
  mp3: { type: 'audio/mpeg', rate: 16_000 },
  opus: { type: 'audio/ogg', rate: 8000 },
  aac: { type: 'audio/aac', rate: 16_000 },
  flac: { type: 'audio/flac', rate: 25_000 },
  wav: { type: 'audio/wav', rate: 48_000 },
  pcm: { type: 'audio/pcm', rate: 48_000 },
};
const usualFormat = { type: 'audio/mpeg', rate: 16_000 };

function formatOf(name: unknown): { type: string; rate: number } {
  return (typeof name === 'string' && Object.hasOwn(formats, name) ? formats[name] : undefined) ?? usualFormat;
}

export function soundType(name: unknown): string {
  return formatOf(name).type;
}

/** Counts the tokens of a sound while it streams. */
export class SpokenTally {
  readonly #perSecond: number;
  #rate: number;
  #bytes = 0;

  constructor(format: unknown, model: string) {
    this.#perSecond = tokensPerSecond(model);
    this.#rate = formatOf(format).rate;
  }

  add(sound: Buffer): void {
    if (this.#bytes === 0) this.#rate = rateOf(sound) ?? this.#rate;
    this.#bytes += sound.length;
  }

  get tokens(): number {
    return Math.ceil((this.#bytes / this.#rate) * this.#perSecond);
  }
}

const enoughBytes = 4096;

/** Returns the byte rate that the first bytes imply, unless a header reports the total. */
function rateOf(sound: Buffer): number | undefined {
  if (sound.length < enoughBytes || sound.toString('latin1', 0, 4) === 'fLaC') return undefined;
  const seconds = secondsOf(sound);
  return seconds === undefined ? undefined : sound.length / seconds;
}
