// Writes items of hosted tools: first the call, then its result.
import type { HostedCallPart, HostedResultPart } from '../parts.ts';
import { hostedPrefixes, writeHostedItem } from './hosted-items.ts';
import type { EventSink, Json } from './output-items.ts';

interface OpenCall {
  call: HostedCallPart;
  id: string;
  index: number;
}

/** Progress events of a running tool. */
const steps: Readonly<Record<string, string>> = { web_search_call: 'searching', code_interpreter_call: 'interpreting' };

export class HostedOutput {
  readonly #sink: EventSink;
  readonly #items: Json[];
  readonly #next: (prefix: string) => { id: string; index: number };
  readonly #open = new Map<string, OpenCall>();

  constructor(sink: EventSink, items: Json[], next: (prefix: string) => { id: string; index: number }) {
    this.#sink = sink;
    this.#items = items;
    this.#next = next;
  }

  write(part: HostedCallPart | HostedResultPart): void {
    if (part.type === 'hosted_call') this.#begin(part);
    else this.#end(part.callId, part);
  }

  close(): void {
    for (const id of this.#open.keys()) this.#end(id, undefined);
  }

  #begin(call: HostedCallPart): void {
    // A tool that has no item in this format is visible in the model's text only.
    if (writeHostedItem(call, undefined, '') === null) return;
    const { id: given, index } = this.#next(hostedPrefixes[call.kind] ?? 'hc');
    const id = call.origin === 'openai-responses' && call.id !== '' ? call.id : given;
    this.#open.set(call.id, { call, id, index });
    const item = { ...writeHostedItem(call, undefined, id), status: 'in_progress' };
    this.#sink.event('response.output_item.added', { output_index: index, item });
    this.#step(item, { item_id: id, output_index: index });
  }

  #step({ type, code }: Json, place: Json): void {
    const name = String(type);
    const step = steps[name];
    if (step === undefined) return;
    this.#sink.event(`response.${name}.in_progress`, place);
    if (typeof code === 'string') {
      this.#sink.event('response.code_interpreter_call_code.delta', { ...place, delta: code });
      this.#sink.event('response.code_interpreter_call_code.done', { ...place, code });
    }
    this.#sink.event(`response.${name}.${step}`, place);
  }

  #end(callId: string, result: HostedResultPart | undefined): void {
    const open = this.#open.get(callId);
    if (open === undefined) return;
    this.#open.delete(callId);
    const { call, id, index } = open;
    const item = writeHostedItem(call, result, id) ?? {};
    const name = String(item['type']);
    if (steps[name] !== undefined) this.#sink.event(`response.${name}.completed`, { item_id: id, output_index: index });
    this.#items[index] = item;
    this.#sink.event('response.output_item.done', { output_index: index, item });
  }
}
