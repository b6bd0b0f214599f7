// Writes the only item of a compaction response, once the summary is complete.
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

  /** Thinking and tool calls are not part of the summary. */
  write(part: ResponsePart): void {
    if (part.type === 'text') this.#summary += part.text;
  }

  /** Nothing may be written afterwards. */
  close(): void {
    const item = { id: this.#id, type: 'compaction', encrypted_content: `${summaryMark}${this.#summary}` };
    this.items.push(item);
    this.#sink.event('response.output_item.added', { output_index: 0, item });
    this.#sink.event('response.output_item.done', { output_index: 0, item });
  }
}
