// Nearly all events of a stream differ from the one before in their text alone. Such a text is read without parsing the event.
import { plainLetters } from '../written-json.ts';

const beforeText = /"delta":\{(?:"role":"assistant",)?"content":"$/;
const textKey = '"content":"';

export class PlainDeltas {
  #before = '';
  #after = '';
  #choice = 0;

  /** The choice that such a text belongs to. */
  get choice(): number {
    return this.#choice;
  }

  /** The event was parsed, and this text is all that it tells. */
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

  /** The text of an event that is the same but for it; null for every other. */
  read(data: string): string | null {
    const [before, after] = [this.#before, this.#after];
    const length = data.length - before.length - after.length;
    if (before === '' || length < 0) return null;
    // Equal slices are found out in half the time that `startsWith` and `endsWith` take.
    if (data.slice(0, before.length) !== before || data.slice(before.length + length) !== after) return null;
    const text = data.slice(before.length, before.length + length);
    return plainLetters.test(text) ? text : null;
  }
}
