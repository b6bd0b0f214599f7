// Bounds the size of the next prompt of a session: the reported size of the last turn, and the data sent since.
import type { ContextSize } from '#server/kinds/realtime/realtime-client.ts';
import type { TurnTokens } from '#server/kinds/realtime/realtime-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { contextWindow } from '#server/money/context-windows.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';

/** A token is a tenth of a second of audio input, and a twentieth of audio output. https://platform.openai.com/docs/guides/realtime-costs */
export const inputTokensPerSecond = 10;
export const spokenPerSecond = 20;
/** A picture of the finest detail that is usual. */
const imageTokens = 1_600;
/** Seconds of silence before speech that a provider buffers, with a margin. */
const quietSeconds = 30;
/** Of models whose window is not known. */
const usualWindow = 128_000;
/** Names, roles and marks around an item. */
const itemTokens = 8;
/** Items whose tokens are remembered. */
const mostRan = 1_000;

export class SessionContext {
  readonly #most: number;
  #known: ContextSize = { text: 0, audio: 0, image: 0 };
  #added: ContextSize = { text: 0, audio: 0, image: 0 };
  /** Seconds in the provider's buffer, not a part of the conversation yet. */
  #buffered = 0;
  /** Seconds that have been sent in all. */
  #received = 0;
  /** A response may have another input than the conversation: then its reported input is not the conversation's size. */
  #isReadApart = false;
  /** Tokens by item of what ran at the provider. */
  readonly #ran = new Map<string, number>();
  /** The provider listens for speech, and drops what is none. */
  isListening = true;
  isSpeaking = false;

  constructor(model: string) {
    this.#most = contextWindow(model) ?? usualWindow;
  }

  get size(): ContextSize {
    const sum = {
      text: this.#known.text + this.#added.text,
      audio: this.#known.audio + this.#added.audio + Math.ceil(this.#buffered * inputTokensPerSecond),
      image: this.#known.image + this.#added.image,
    };
    return capped(sum, this.#most);
  }

  add({ text, audio, image }: ContextSize): void {
    const { text: texts, audio: sounds, image: images } = this.#added;
    this.#added = { text: texts + text, audio: sounds + audio, image: images + image };
  }

  /**
   * Adds an item that ran at the provider, which is reported when it is added and again with its content. False: it has no more tokens than before.
   */
  addRun(id: string, size: ContextSize): boolean {
    const more = size.text - (this.#ran.get(id) ?? 0);
    if (more <= 0) return false;
    // Beyond that each report is counted: rather twice than not at all.
    if (this.#ran.size < mostRan || this.#ran.has(id)) this.#ran.set(id, size.text);
    this.add({ text: more, audio: 0, image: 0 });
    return true;
  }

  /** Seconds of sound that go into the provider's buffer. */
  addAudio(seconds: number): void {
    this.#received += seconds;
    this.#buffered += seconds;
    if (this.isListening && !this.isSpeaking) this.#buffered = Math.min(this.#buffered, quietSeconds);
  }

  get bufferedSeconds(): number {
    return this.#buffered;
  }

  /** Speech began so many seconds after the first audio. Audio since then stays in the buffer, also if it was all sent at once. */
  speaks(since: number): void {
    this.isSpeaking = true;
    this.#buffered = Math.max(this.#buffered, this.#received - since);
  }

  cleared(): void {
    this.#buffered = 0;
  }

  /** What was in the buffer is a part of the conversation. */
  committed(): void {
    this.add({ text: itemTokens, audio: Math.ceil(this.#buffered * inputTokensPerSecond), image: 0 });
    this.#buffered = 0;
    this.isSpeaking = false;
  }

  /** A response with possibly another input is requested. */
  readsApart(): void {
    this.#isReadApart = true;
  }

  /** What has been added until now. */
  mark(): ContextSize {
    return { ...this.#added };
  }

  /** A turn that began at that mark has ended, and its provider has reported its input and output. */
  settled(reported: TurnTokens, { text, audio, image }: ContextSize): void {
    const before = this.#known;
    this.#known = reported;
    if (this.#isReadApart) {
      this.#known = {
        text: Math.max(reported.text, before.text + text),
        audio: Math.max(reported.audio, before.audio + audio),
        image: Math.max(reported.image, before.image + image),
      };
    }
    const rest = this.#added;
    this.#added = { text: rest.text - text, audio: rest.audio - audio, image: rest.image - image };
  }
}

function capped({ text, audio, image }: ContextSize, most: number): ContextSize {
  const [sound, picture] = [Math.min(audio, most), Math.min(image, most)];
  return {
    text: Math.max(0, Math.min(text, most - Math.min(most, sound + picture))),
    audio: sound,
    image: Math.min(picture, most - sound),
  };
}

/** Bytes of a second, as the session's format has them. https://platform.openai.com/docs/api-reference/realtime-client-events/session/update */
export function bytesPerSecond(format: string): number {
  if (/ulaw|alaw|pcmu|pcma/.test(format)) return 8_000;
  const [, rate] = /;rate=(\d{4,6})$/.exec(format) ?? [];
  return rate === undefined ? 48_000 : Number(rate) * 2;
}

export function secondsOfBase64(data: string, format: string): number {
  return (data.length * 3) / 4 / bytesPerSecond(format);
}

const longestReported = 1_000_000;

/** What an item, or whatever else is said, adds at the most: sounds by their length, pictures each, all else as text. */
export function sizeOf(value: unknown, format: string): ContextSize {
  const size: ContextSize = { text: itemTokens, audio: 0, image: 0 };
  const texts: string[] = [];
  const walk = (node: unknown, name: string): void => {
    if (typeof node === 'string') {
      if (name === 'audio') size.audio += Math.ceil(secondsOfBase64(node, format) * inputTokensPerSecond);
      else if (name === 'image_url') size.image += imageTokens;
      else texts.push(node);
    } else if (Array.isArray(node)) for (const part of node) walk(part, name);
    else if (isObject(node)) {
      for (const [key, part] of Object.entries(node)) {
        texts.push(key);
        walk(part, key);
      }
    } else if (typeof node === 'number') texts.push(String(node));
  };
  walk(value, '');
  const text = texts.join(' ');
  size.text += text.length > longestReported ? Math.ceil(text.length / 2) : estimateTextTokens(text);
  return size;
}
