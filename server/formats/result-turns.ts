// The results of one turn belong together, in order, however many messages of the caller they come in.
import type { Message, ToolResultPart } from './parts.ts';

export class ResultTurns {
  readonly #messages: Message[];
  /** The last turn that has nothing but results. */
  #open: Message | undefined;

  /** @param messages of the conversation, which others add to as well */
  constructor(messages: Message[]) {
    this.#messages = messages;
  }

  add(result: ToolResultPart, field: string): void {
    const last = this.#messages.at(-1);
    if (last?.role === 'user' && last === this.#open) last.content.push(result);
    else {
      this.#open = { role: 'user', content: [result], field };
      this.#messages.push(this.#open);
    }
  }
}
