// Writes a call of one of the caller's tools while its arguments are streamed.
import { parseObject } from '#server/framing/loose-json.ts';
import { TextOfArguments } from '../text-tools.ts';
import type { EventSink, ItemStatus, Json } from './output-items.ts';
import type { ToolMapping } from './tool-mappings.ts';

interface CallPlace {
  sink: EventSink;
  /** Items of the response, by output index. */
  items: Json[];
  form: ToolMapping;
  callId: string;
  id: string;
  index: number;
}

const prefixes = { function: 'fc', text: 'ctc', search: 'tsc' } as const;

export class OpenCall {
  readonly #call: CallPlace;
  /** JSON members that locate the call in events of deltas. */
  readonly #place: string;
  readonly #text: TextOfArguments | null;
  #json = '';

  static prefixOf({ kind }: ToolMapping): string {
    return prefixes[kind];
  }

  constructor(call: CallPlace) {
    this.#call = call;
    this.#place = `"item_id":"${call.id}","output_index":${call.index}`;
    this.#text = call.form.kind === 'text' ? new TextOfArguments() : null;
    call.sink.event('response.output_item.added', { output_index: call.index, item: this.#item('in_progress', '') });
  }

  push(piece: string): void {
    if (this.#text === null) {
      this.#json += piece;
      if (this.#call.form.kind === 'function') this.#delta('function_call_arguments', piece);
    } else this.#delta('custom_tool_call_input', this.#text.push(piece));
  }

  close(status: ItemStatus): void {
    const { sink, form, id, index, items } = this.#call;
    const place = { item_id: id, output_index: index };
    if (this.#text !== null) {
      const { rest, text } = this.#text.end();
      this.#delta('custom_tool_call_input', rest);
      sink.event('response.custom_tool_call_input.done', { ...place, input: text });
      this.#json = text;
    } else if (form.kind === 'function') {
      // Clients parse arguments as JSON, so they cannot be empty.
      if (this.#json === '') this.push('{}');
      sink.event('response.function_call_arguments.done', { ...place, arguments: this.#json });
    }
    const item = this.#item(status, this.#json);
    items[index] = item;
    sink.event('response.output_item.done', { output_index: index, item });
  }

  #delta(name: string, text: string): void {
    if (text !== '') this.#call.sink.delta(`response.${name}.delta`, this.#place, text);
  }

  #item(status: string, written: string): Json {
    const { form, callId, id } = this.#call;
    if (form.kind === 'search') {
      return {
        id,
        type: 'tool_search_call',
        status,
        call_id: callId,
        execution: 'client',
        arguments: parseObject(written) ?? {},
      };
    }
    const called = {
      call_id: callId,
      name: form.name,
      ...(form.namespace === undefined ? {} : { namespace: form.namespace }),
    };
    return form.kind === 'text'
      ? { id, type: 'custom_tool_call', status, ...called, input: written }
      : { id, type: 'function_call', status, ...called, arguments: written };
  }
}
