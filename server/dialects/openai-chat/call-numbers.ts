// Streams of providers that number every call 0, for callers who put a call together by its number: a call whose number is taken gets another one.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent, startOfEvent, toEvent } from '#server/framing/sse.ts';
import { keySearch } from './key-search.ts';
import { ToolCalls } from './tool-calls.ts';

const afterCalls = keySearch('tool_calls', '_');

export class CallNumbers {
  readonly #choices = new Map<unknown, { calls: ToolCalls; numbers: number[] }>();

  /** @param events whole ones; the very same bytes where no number has to change */
  pass(events: Buffer): Buffer {
    const parts: Buffer[] = [];
    let end = 0;
    for (let at = afterCalls(events, 0); at >= 0; at = afterCalls(events, at)) {
      const start = startOfEvent(events, at);
      at = endOfEvent(events, at);
      const told = dataIn(events, start, at);
      const chunk = told === null ? null : parseObject(told);
      if (chunk === null || !this.#number(chunk.choices)) continue;
      parts.push(events.subarray(end, start), Buffer.from(toEvent(JSON.stringify(chunk))));
      end = at;
    }
    return parts.length === 0 ? events : Buffer.concat([...parts, events.subarray(end)]);
  }

  /** Whether a number was changed. */
  #number(choices: unknown): boolean {
    let isChanged = false;
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice) || !isObject(choice.delta) || !Array.isArray(choice.delta.tool_calls)) continue;
      const { calls, numbers } = this.#choice(choice.index);
      for (const piece of choice.delta.tool_calls) {
        if (!isObject(piece) || typeof piece.index !== 'number') continue;
        const { index, isNew } = calls.place(piece);
        // The provider's own, unless another call has it.
        if (isNew) numbers[index] = numbers.includes(piece.index) ? Math.max(...numbers) + 1 : piece.index;
        const number = numbers[index] ?? piece.index;
        if (piece.index === number) continue;
        piece.index = number;
        isChanged = true;
      }
    }
    return isChanged;
  }

  #choice(index: unknown): { calls: ToolCalls; numbers: number[] } {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = { calls: new ToolCalls(''), numbers: [] };
    this.#choices.set(index, choice);
    return choice;
  }
}
