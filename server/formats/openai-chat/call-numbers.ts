// Renumbers tool calls of providers that number all calls 0 or not at all, for clients that assemble calls by index: a call with a taken or
// missing index gets another.
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { dataIn, endOfEvent, startOfEvent, toEvent } from '#server/framing/sse.ts';
import { keySearch } from './key-search.ts';
import { type PlacedPiece, ToolCalls } from './tool-calls.ts';

const afterCalls = keySearch('tool_calls', '_');

export class CallNumbers {
  readonly #choices = new Map<unknown, Choice>();

  /** @param events whole events; the same bytes are returned if no number changes */
  pass(events: Buffer): Buffer {
    const parts: Buffer[] = [];
    let end = 0;
    for (let at = afterCalls(events, 0); at >= 0; at = afterCalls(events, at)) {
      const start = startOfEvent(events, at);
      at = endOfEvent(events, at);
      const reported = dataIn(events, start, at);
      const chunk = reported === null ? null : parseObject(reported);
      if (chunk === null || !this.#number(chunk.choices)) continue;
      parts.push(events.subarray(end, start), Buffer.from(toEvent(JSON.stringify(chunk))));
      end = at;
    }
    return parts.length === 0 ? events : Buffer.concat([...parts, events.subarray(end)]);
  }

  /** Returns whether a number changed. */
  #number(choices: unknown): boolean {
    let isChanged = false;
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice) || !isObject(choice.delta) || !Array.isArray(choice.delta.tool_calls)) continue;
      const { calls, numbers } = this.#choice(choice.index);
      for (const piece of choice.delta.tool_calls) {
        if (!isObject(piece)) continue;
        const number = numbers.of(calls.place(piece), piece.index);
        if (piece.index === number) continue;
        piece.index = number;
        isChanged = true;
      }
    }
    return isChanged;
  }

  #choice(index: unknown): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = { calls: new ToolCalls(''), numbers: new Numbers() };
    this.#choices.set(index, choice);
    return choice;
  }
}

interface Choice {
  calls: ToolCalls;
  numbers: Numbers;
}

/** Indexes of a choice's calls. A response may have very many. */
class Numbers {
  readonly #ofCalls: number[] = [];
  readonly #taken = new Set<number>();
  #next = 0;

  /** Returns the provider's index unless it is missing or taken. */
  of({ index, isNew }: Pick<PlacedPiece, 'index' | 'isNew'>, reported: unknown): number {
    const known = this.#ofCalls[index];
    if (!isNew && known !== undefined) return known;
    const number = typeof reported === 'number' && !this.#taken.has(reported) ? reported : this.#next;
    this.#ofCalls[index] = number;
    this.#taken.add(number);
    this.#next = Math.max(this.#next, number + 1);
    return number;
  }
}
