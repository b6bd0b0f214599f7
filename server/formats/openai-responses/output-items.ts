// Writes parts as output items and their events. Calls may be interleaved; other items are sequential.
import { JsonProgress } from '#server/framing/json-progress.ts';
import type { ResponsePart } from '../parts.ts';
import { markdownPicture } from '../media.ts';
import { writeLogprobs } from '../token-logprobs.ts';
import type { Seal } from '../seal.ts';
import { annotationOf } from './annotations.ts';
import { type SealedKind, writeEncrypted } from './encrypted-content.ts';
import { HostedOutput } from './hosted-output.ts';
import { OpenCall } from './open-call.ts';
import type { ToolMapping } from './tool-mappings.ts';

export type Json = Record<string, unknown>;

export interface EventSink {
  event(type: string, fields: Json): void;
  /**
   * Writes a delta, the most frequent event, faster than `event` would.
   * @param place JSON members that locate the item, without braces
   */
  delta(type: string, place: string, text: string): void;
}

/** Status of an item cut at the response's end. */
export type ItemStatus = 'completed' | 'incomplete';

export interface ItemIds {
  item(prefix: string, index: number): string;
  /** @param id as the provider sent it */
  call(id: string): string;
}

interface OpenItem {
  id: string;
  index: number;
  item: Json;
}

interface OpenMessage extends OpenItem {
  kind: 'message';
  content: Json[];
  /** Offset of the open part in the response's text. */
  partAt: number;
  /** JSON members that locate the open part in events of deltas. */
  place: string;
}

interface OpenThought extends OpenItem {
  kind: 'reasoning';
  text: string;
  place: string;
}

export class OutputItems {
  /** Items by output index. */
  readonly items: Json[] = [];
  readonly #sink: EventSink;
  readonly #forms: ReadonlyMap<string, ToolMapping>;
  readonly #ids: ItemIds;
  #open: OpenMessage | OpenThought | null = null;
  readonly #hosted: HostedOutput;
  /** Characters of text so far. */
  #length = 0;
  /** Log probabilities of the next text. */
  #logprobs: object[] = [];
  readonly #calls = new Map<number, { call: OpenCall; progress: JsonProgress }>();

  constructor(sink: EventSink, forms: ReadonlyMap<string, ToolMapping>, ids: ItemIds) {
    this.#sink = sink;
    this.#forms = forms;
    this.#ids = ids;
    this.#hosted = new HostedOutput(sink, this.items, (prefix) => this.#next(prefix));
  }

  write(part: ResponsePart): void {
    if ('text' in part && part.text === '') return;
    switch (part.type) {
      case 'text':
        this.#text('output_text', part.text);
        break;
      case 'refusal':
        this.#text('refusal', part.text);
        break;
      case 'image':
        this.#text('output_text', markdownPicture(part));
        break;
      case 'reasoning':
        this.#think(part.text);
        break;
      case 'reasoning_seal':
        this.#sign(part.seal);
        break;
      case 'sealed':
        this.#seal(part.seal, 'thoughts');
        break;
      case 'tool_call':
        this.#call(part);
        break;
      case 'tool_arguments': {
        const open = this.#calls.get(part.index);
        open?.progress.push(part.text);
        open?.call.push(part.text);
        break;
      }
      case 'logprobs':
        this.#logprobs.push(...writeLogprobs(part.tokens));
        break;
      case 'citation':
      case 'document_citation':
        this.#cite(part);
        break;
      case 'hosted_call':
      case 'hosted_result':
        this.#hosted.write(part);
        break;
      default:
    }
  }

  /**
   * Completes all open items. Nothing may be written afterwards.
   * @param status status of open items
   */
  close(status: ItemStatus): void {
    this.#closeOpen(status);
    this.#hosted.close();
    for (const { call } of this.#calls.values()) call.close(status);
    this.#calls.clear();
  }

  #text(type: 'output_text' | 'refusal', text: string): void {
    const message = this.#open?.kind === 'message' ? this.#open : this.#beginMessage();
    const part = this.#contentPart(message, type);
    const field = type === 'output_text' ? 'text' : 'refusal';
    if (type === 'output_text') this.#length += text.length;
    part[field] = `${String(part[field])}${text}`;
    // Refusals have no log probabilities.
    if (type === 'refusal') this.#logprobs = [];
    this.#sink.delta(`response.${type}.delta`, `${message.place}${type === 'refusal' ? '' : this.#takeLogprobs(part)}`, text);
  }

  /** Moves pending log probabilities to the part; returns the JSON member for its event. */
  #takeLogprobs(part: Json): string {
    if (this.#logprobs.length === 0) return ',"logprobs":[]';
    const reported = this.#logprobs;
    this.#logprobs = [];
    part.logprobs = [...(Array.isArray(part.logprobs) ? part.logprobs : []), ...reported];
    return `,"logprobs":${JSON.stringify(reported)}`;
  }

  #beginMessage(): OpenMessage {
    const { id, index } = this.#next('msg');
    const content: Json[] = [];
    const item = { id, type: 'message', status: 'in_progress', role: 'assistant', content };
    this.#added(index, { ...item, content: [] });
    return (this.#open = { kind: 'message', id, index, item, content, place: '', partAt: 0 });
  }

  /** Continues a part of that type, or begins one. */
  #contentPart(message: OpenMessage, type: 'output_text' | 'refusal'): Json {
    const last = message.content.at(-1);
    if (last?.type === type) return last;
    this.#endContentPart(message);
    const part: Json = type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] };
    message.content.push(part);
    message.partAt = this.#length;
    const content_index = message.content.length - 1;
    message.place = `"item_id":"${message.id}","output_index":${message.index},"content_index":${content_index}`;
    const fields = { item_id: message.id, output_index: message.index, content_index, part: { ...part } };
    this.#sink.event('response.content_part.added', fields);
    return part;
  }

  #endContentPart({ id, index, content }: OpenMessage): void {
    const part = content.at(-1);
    if (part === undefined) return;
    if (part.type === 'output_text') this.#takeLogprobs(part);
    const place = { item_id: id, output_index: index, content_index: content.length - 1 };
    if (part.type === 'refusal') this.#sink.event('response.refusal.done', { ...place, refusal: part.refusal });
    else this.#sink.event('response.output_text.done', { ...place, text: part.text, logprobs: part.logprobs });
    this.#sink.event('response.content_part.done', { ...place, part });
  }

  /** Adds a citation to the last text of the open message. */
  #cite(citation: Extract<ResponsePart, { type: 'citation' | 'document_citation' }>): void {
    if (this.#open?.kind !== 'message') return;
    const { id, index, content, partAt } = this.#open;
    const part = content.at(-1);
    if (part === undefined || !Array.isArray(part.annotations)) return;
    const last = String(part.text).length;
    const at = (offset: number | undefined) => (offset === undefined ? last : Math.min(last, Math.max(0, offset - partAt)));
    const annotation = annotationOf(citation, { start_index: at(citation.start), end_index: at(citation.end) });
    const place = { item_id: id, output_index: index, content_index: content.length - 1, annotation_index: part.annotations.length };
    part.annotations.push(annotation);
    this.#sink.event('response.output_text.annotation.added', { ...place, annotation });
  }

  #think(text: string): void {
    const thought = this.#open?.kind === 'reasoning' ? this.#open : this.#beginThought();
    if (thought.text === '') {
      const place = { item_id: thought.id, output_index: thought.index, summary_index: 0 };
      this.#sink.event('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } });
    }
    thought.text += text;
    this.#sink.delta('response.reasoning_summary_text.delta', thought.place, text);
  }

  #beginThought(): OpenThought {
    const { id, index } = this.#next('rs');
    const item = { id, type: 'reasoning', summary: [] };
    this.#added(index, item);
    const place = `"item_id":"${id}","output_index":${index},"summary_index":0`;
    return (this.#open = { kind: 'reasoning', id, index, item: { ...item }, text: '', place });
  }

  #sign(seal: Seal): void {
    const thought = this.#open?.kind === 'reasoning' ? this.#open : this.#beginThought();
    thought.item.encrypted_content = writeEncrypted(seal, thought.text === '' && seal.origin === 'openai' ? 'thoughts' : 'signature');
    this.#closeOpen('completed');
  }

  #seal(seal: Seal, kind: SealedKind): void {
    this.#closeOpen('completed');
    this.#beginThought().item.encrypted_content = writeEncrypted(seal, kind);
    this.#closeOpen('completed');
  }

  /** Adds a call's seal to unsigned thinking before it, because some clients send back only one reasoning item. */
  #sealCall(seal: Seal): void {
    if (this.#open?.kind !== 'reasoning') return this.#seal(seal, 'call');
    this.#open.item.encrypted_content = writeEncrypted(seal, 'call');
    this.#closeOpen('completed');
  }

  #call({ index, id, name, seal }: Extract<ResponsePart, { type: 'tool_call' }>): void {
    if (seal !== undefined) this.#sealCall(seal);
    const form = this.#forms.get(name) ?? { kind: 'function' as const, name };
    const place = this.#next(OpenCall.prefixOf(form));
    const call = new OpenCall({ sink: this.#sink, items: this.items, form, callId: this.#ids.call(id), ...place });
    this.#calls.set(index, { call, progress: new JsonProgress() });
  }

  /** Completes open items when another begins. */
  #next(prefix: string): { id: string; index: number } {
    this.#closeOpen('completed');
    for (const [index, { call, progress }] of this.#calls) {
      if (!progress.isComplete) continue;
      call.close('completed');
      this.#calls.delete(index);
    }
    const index = this.items.length;
    this.items.push({});
    return { id: this.#ids.item(prefix, index), index };
  }

  #added(index: number, item: Json): void {
    this.#sink.event('response.output_item.added', { output_index: index, item });
  }

  #closeOpen(status: ItemStatus): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const { item, id, index } = open;
    if (open.kind === 'message') {
      this.#endContentPart(open);
      item.status = status;
    } else if (open.text !== '') {
      const place = { item_id: id, output_index: index, summary_index: 0 };
      const part = { type: 'summary_text', text: open.text };
      this.#sink.event('response.reasoning_summary_text.done', { ...place, text: open.text });
      this.#sink.event('response.reasoning_summary_part.done', { ...place, part });
      item.summary = [part];
    }
    this.items[index] = item;
    this.#sink.event('response.output_item.done', { output_index: index, item });
  }
}
