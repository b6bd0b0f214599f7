// Upper bound of a session's next prompt: the reported size of the last turn, plus the data sent since.
import type { ContextSize } from '#server/kinds/realtime/realtime-client.ts';
import type { TurnTokens } from '#server/kinds/realtime/realtime-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { contextWindow } from '#server/money/context-windows.ts';
import { estimateTextTokens } from '#server/exchange/token-estimate.ts';

/** Tokens per second of audio input and of audio output. https://platform.openai.com/docs/guides/realtime-costs */
export const inputTokensPerSecond = 10;
export const spokenPerSecond = 20;
/** Tokens of an image in the highest usual detail. */
const imageTokens = 1_600;
/** Seconds of silence before speech that a provider buffers, with a margin. */
const quietSeconds = 30;
/** Assumed context window of unknown models, in tokens. */
const usualWindow = 128_000;
/** Tokens of names, roles and marks around an item. */
const itemTokens = 8;
/** Maximum items of hosted tools whose tokens are stored. */
const mostRan = 1_000;

export class SessionContext {
  readonly #most: number;
  #known: ContextSize = { text: 0, audio: 0, image: 0 };
  #added: ContextSize = { text: 0, audio: 0, image: 0 };
  /** Seconds in the provider's input buffer, which are not part of the conversation yet. */
  #buffered = 0;
  /** Seconds of audio sent in total. */
  #received = 0;
  /** Whether a response may have another input than the conversation, so that its reported input is not the conversation's size. */
  #isReadApart = false;
  /** Tokens by item of hosted tools. */
  readonly #ran = new Map<string, number>();
  /** Whether the provider detects turns, and drops audio without speech. */
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
   * Adds an item of a hosted tool, which is reported when it is added and again with its content. Returns false if it has no more
   * tokens than before.
   */
  addRun(id: string, size: ContextSize): boolean {
    const more = size.text - (this.#ran.get(id) ?? 0);
    if (more <= 0) return false;
    // Beyond the maximum, an item is counted at every report: rather twice than not at all.
    if (this.#ran.size < mostRan || this.#ran.has(id)) this.#ran.set(id, size.text);
    this.add({ text: more, audio: 0, image: 0 });
    return true;
  }

  /** Adds seconds of audio to the provider's buffer. */
  addAudio(seconds: number): void {
    this.#received += seconds;
    this.#buffered += seconds;
    if (this.isListening && !this.isSpeaking) this.#buffered = Math.min(this.#buffered, quietSeconds);
  }

  get bufferedSeconds(): number {
    return this.#buffered;
  }

  /**
   * Notes that speech began. Audio since then remains in the buffer, also if it was sent at once.
   * @param since seconds from the first audio of the session to the speech
   */
  speaks(since: number): void {
    this.isSpeaking = true;
    this.#buffered = Math.max(this.#buffered, this.#received - since);
  }

  cleared(): void {
    this.#buffered = 0;
  }

  /** Adds the buffer to the conversation. */
  committed(): void {
    this.add({ text: itemTokens, audio: Math.ceil(this.#buffered * inputTokensPerSecond), image: 0 });
    this.#buffered = 0;
    this.isSpeaking = false;
  }

  /** Notes a request for a response with possibly another input. */
  readsApart(): void {
    this.#isReadApart = true;
  }

  /** Returns the size added so far. */
  mark(): ContextSize {
    return { ...this.#added };
  }

  /** Replaces the size at the mark by the reported input and output of a turn that began there. */
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

/** Returns the bytes per second of an audio format. https://platform.openai.com/docs/api-reference/realtime-client-events/session/update */
export function bytesPerSecond(format: string): number {
  if (/ulaw|alaw|pcmu|pcma/.test(format)) return 8_000;
  const [, rate] = /;rate=(\d{4,6})$/.exec(format) ?? [];
  return rate === undefined ? 48_000 : Number(rate) * 2;
}

export function secondsOfBase64(data: string, format: string): number {
  return (data.length * 3) / 4 / bytesPerSecond(format);
}

const longestReported = 1_000_000;

/** Returns the maximum size of an item or other JSON: audio by its length, a fixed number per image, everything else as text. */
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
