// Collects a summary and writes it as the only item of a compaction response.
import type { ResponsePart } from '../parts.ts';
import { summaryMark } from './compaction.ts';
import type { EventSink, Json } from './output-items.ts';

export class CompactionItem {
  readonly items: Json[] = [];
  readonly #sink: EventSink;
  readonly #id: string;
  #summary = '';

  constructor(sink: EventSink, id: string) {
    this.#sink = sink;
    this.#id = id;
  }

  /** Adds text to the summary; thinking and tool calls are ignored. */
  write(part: ResponsePart): void {
    if (part.type === 'text') this.#summary += part.text;
  }

  /** Writes the item. Nothing may be written afterwards. */
  close(): void {
    const item = { id: this.#id, type: 'compaction', encrypted_content: `${summaryMark}${this.#summary}` };
    this.items.push(item);
    this.#sink.event('response.output_item.added', { output_index: 0, item });
    this.#sink.event('response.output_item.done', { output_index: 0, item });
  }
}
