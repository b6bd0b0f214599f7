// Joins the tool results of one turn, in order, if the caller splits them into several messages.
import type { Message, ToolResultPart } from './parts.ts';

export class ResultTurns {
  readonly #messages: Message[];
  /** Last turn; undefined unless it has only results. */
  #open: Message | undefined;

  /** @param messages messages of the conversation, to which the owner also appends */
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
