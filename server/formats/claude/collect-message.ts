// Collects a complete message from stream events.
import { isObject } from '#server/framing/loose-json.ts';
import { PartBudget } from '#server/framing/part-budget.ts';

type Json = Record<string, unknown>;

export class MessageCollector {
  /** Part budget of inputs, which are streamed as text. */
  readonly #budget = new PartBudget();
  readonly #blocks: Json[] = [];
  /** Input of the open block. */
  #input = '';
  #citations: unknown[] = [];
  #message: Json = {};
  #isComplete = false;

  push(event: Readonly<Json>): void {
    const { type, message, content_block: block, delta } = event;
    if (type === 'message_start' && isObject(message)) this.#message = { ...message };
    else if (type === 'content_block_start' && isObject(block)) this.#blocks.push({ ...block });
    else if (type === 'content_block_delta' && isObject(delta)) this.#add(delta);
    else if (type === 'content_block_stop') this.#stop();
    else if (type === 'message_delta' && isObject(delta)) Object.assign(this.#message, delta);
    else if (type === 'message_stop') this.#isComplete = true;
  }

  /** Complete message; null before the stream ends. */
  get message(): Json | null {
    return this.#isComplete ? { ...this.#message, content: this.#blocks } : null;
  }

  #add(delta: Readonly<Json>): void {
    const block = this.#blocks.at(-1);
    if (block === undefined) return;
    const append = (name: string) => (block[name] = textOf(block[name]) + textOf(delta[name]));
    if (delta['type'] === 'text_delta') append('text');
    else if (delta['type'] === 'thinking_delta') append('thinking');
    else if (delta['type'] === 'signature_delta') append('signature');
    else if (delta['type'] === 'input_json_delta') this.#input += textOf(delta['partial_json']);
    else if (delta['type'] === 'citations_delta') {
      // Copied, since the event must not change.
      if (this.#citations.length === 0 && Array.isArray(block['citations'])) this.#citations.push(...block['citations']);
      this.#citations.push(delta['citation']);
      block['citations'] = this.#citations;
    } else if (delta['type'] === 'compaction_delta') {
      const { type: _type, ...reported } = delta;
      Object.assign(block, reported);
    }
  }

  #stop(): void {
    const block = this.#blocks.at(-1);
    if (block !== undefined && this.#input !== '') block['input'] = this.#budget.parseObject(this.#input) ?? {};
    this.#input = '';
    this.#citations = [];
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
