// Reads text of events that differ from the previous one in their text only, without parsing.
import { plainLetters } from '../written-json.ts';

const beforeText = /"delta":\{(?:"role":"assistant",)?"content":"$/;
const textKey = '"content":"';

export class PlainDeltas {
  #before = '';
  #after = '';
  #choice = 0;

  get choice(): number {
    return this.#choice;
  }

  /** Learns the shape of a parsed event that has only this text. */
  learn(data: string, { text, choice = 0 }: { text: string; choice?: number }): void {
    const from = data.indexOf(textKey) + textKey.length;
    const before = data.slice(0, from);
    const after = data.slice(from + text.length);
    const isSound = beforeText.test(before) && !after.includes(textKey) && after.startsWith('"') && plainLetters.test(text);
    if (!isSound || !data.startsWith(text, from)) return;
    this.#before = before;
    this.#after = after;
    this.#choice = choice;
  }

  /** Returns the text of an event of the same shape, or null. */
  read(data: string): string | null {
    const [before, after] = [this.#before, this.#after];
    const length = data.length - before.length - after.length;
    if (before === '' || length < 0) return null;
    // Comparing slices takes half the time of `startsWith` and `endsWith`.
    if (data.slice(0, before.length) !== before || data.slice(before.length + length) !== after) return null;
    const text = data.slice(before.length, before.length + length);
    return plainLetters.test(text) ? text : null;
  }
}
