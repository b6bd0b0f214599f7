// Writes parts as steps of an interaction and their events. Calls may be interleaved; other steps are sequential.
import { JsonProgress } from '#server/framing/json-progress.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import type { HostedCallPart, HostedResultPart, ResponsePart } from '../../parts.ts';
import type { Seal } from '../../seal.ts';
import { annotationOf, TextBytes } from './annotations.ts';
import { writeHostedStep } from './hosted-steps.ts';
import { writeSignature } from './signature.ts';

export type Json = Record<string, unknown>;

export interface EventSink {
  event(type: string, fields: Json): void;
  /** Like `event`, for the most frequent events. @param delta JSON of the delta */
  delta(index: number, delta: string): void;
}

interface OpenOutput {
  kind: 'output';
  index: number;
  content: Json[];
}

interface OpenThought {
  kind: 'thought';
  index: number;
  text: string;
  signature?: string;
}

interface OpenCall {
  index: number;
  step: Json;
  text: string;
  progress: JsonProgress;
}

export class OutputSteps {
  /** Steps by index. */
  readonly steps: Json[] = [];
  readonly #sink: EventSink;
  #open: OpenOutput | OpenThought | null = null;
  readonly #calls = new Map<number, OpenCall>();
  /** Part budget of arguments, which arrive as text and leave as objects. */
  readonly #budget = new PartBudget();
  /** Bytes of the response's text. */
  readonly #bytes = new TextBytes();
  /** A call has arguments that are not an object. */
  isMalformed = false;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  get hasCalls(): boolean {
    return this.steps.some(({ type }) => type === 'function_call');
  }

  write(part: ResponsePart): void {
    if ('text' in part && part.text === '') return;
    switch (part.type) {
      case 'text':
      case 'refusal':
        this.#text(part.text);
        break;
      case 'image':
        this.#image(part);
        break;
      case 'reasoning':
        this.#think(part.text);
        break;
      case 'reasoning_seal':
        this.#sign(part.seal);
        break;
      case 'sealed':
        this.#seal(part.seal);
        break;
      case 'tool_call':
        this.#call(part);
        break;
      case 'tool_arguments':
        this.#arguments(part);
        break;
      case 'citation':
      case 'document_citation':
        this.#cite(part);
        break;
      case 'hosted_call':
      case 'hosted_result':
        this.#hosted(part);
        break;
      default:
    }
  }

  /** Completes all open steps. Nothing may be written afterwards. */
  close(): void {
    this.#closeOpen();
    for (const call of this.#calls.values()) this.#closeCall(call);
    this.#calls.clear();
  }

  #text(text: string): void {
    const { index, content } = this.#output();
    const last = content.at(-1);
    if (last?.type === 'text') last.text = `${String(last.text)}${text}`;
    else {
      this.#bytes.begin();
      content.push({ type: 'text', text });
    }
    this.#bytes.add(text);
    this.#sink.delta(index, `{"type":"text","text":${JSON.stringify(text)}}`);
  }

  #image({ mediaType, data }: Extract<ResponsePart, { type: 'image' }>): void {
    const { index, content } = this.#output();
    const image = { type: 'image', mime_type: mediaType, data };
    content.push(image);
    this.#sink.delta(index, JSON.stringify(image));
  }

  /** Adds a citation to the last text of the open output. */
  #cite(citation: Extract<ResponsePart, { type: 'citation' | 'document_citation' }>): void {
    const text = this.#open?.kind === 'output' ? this.#open.content.at(-1) : undefined;
    if (this.#open === null || text?.type !== 'text') return;
    const annotation = annotationOf(citation, this.#bytes);
    text.annotations = [...(Array.isArray(text.annotations) ? text.annotations : []), annotation];
    this.#sink.delta(this.#open.index, JSON.stringify({ type: 'text_annotation_delta', annotations: [annotation] }));
  }

  #output(): OpenOutput {
    if (this.#open?.kind === 'output') return this.#open;
    const content: Json[] = [];
    return (this.#open = { kind: 'output', content, index: this.#start({ type: 'model_output' }) });
  }

  #thought(): OpenThought {
    if (this.#open?.kind === 'thought') return this.#open;
    return (this.#open = { kind: 'thought', text: '', index: this.#start({ type: 'thought' }) });
  }

  #think(text: string): void {
    const thought = this.#thought();
    thought.text += text;
    this.#sink.delta(thought.index, `{"type":"thought_summary","content":{"type":"text","text":${JSON.stringify(text)}}}`);
  }

  #sign(seal: Seal): void {
    const thought = this.#thought();
    thought.signature = writeSignature(seal);
    this.#sink.delta(thought.index, JSON.stringify({ type: 'thought_signature', signature: thought.signature }));
    this.#closeOpen();
  }

  /** Writes a seal as a thought step, or, if it signs a call, as the signature of the thought before it. */
  #seal(seal: Seal): void {
    if (seal.callId === undefined || this.#open?.kind !== 'thought') this.#closeOpen();
    this.#sign(seal);
  }

  #call({ index, id, name, seal }: Extract<ResponsePart, { type: 'tool_call' }>): void {
    if (seal !== undefined) this.#seal({ ...seal, callId: id });
    const step = { type: 'function_call', id, name, arguments: {} };
    this.#calls.set(index, { index: this.#start(step), step, text: '', progress: new JsonProgress() });
  }

  #arguments({ index, text }: Extract<ResponsePart, { type: 'tool_arguments' }>): void {
    const call = this.#calls.get(index);
    if (call === undefined) return;
    call.text += text;
    call.progress.push(text);
    this.#sink.delta(call.index, `{"type":"arguments_delta","arguments":${JSON.stringify(text)}}`);
  }

  #closeCall({ index, step, text }: OpenCall): void {
    const args = text === '' ? {} : this.#budget.parseObject(text);
    if (args === null) this.isMalformed = true;
    this.#stop(index, { ...step, arguments: args ?? {} });
  }

  #hosted(part: HostedCallPart | HostedResultPart): void {
    const step = writeHostedStep(part);
    // A tool that has no step in this format is visible in the model's text only.
    if (step === null) return;
    this.#closeOpen();
    const index = this.#start(step);
    const { id: _id, call_id: _call, ...delta } = step;
    this.#sink.delta(index, JSON.stringify(delta));
    this.#stop(index, step);
  }

  /** Completes open steps when another begins. */
  #start(step: Json): number {
    this.#closeOpen();
    for (const [place, call] of this.#calls) {
      if (!call.progress.isComplete) continue;
      this.#closeCall(call);
      this.#calls.delete(place);
    }
    const index = this.steps.length;
    this.steps.push(step);
    this.#sink.event('step.start', { index, step });
    return index;
  }

  #stop(index: number, step: Json): void {
    this.steps[index] = step;
    this.#sink.event('step.stop', { index });
  }

  #closeOpen(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    if (open.kind === 'output') this.#stop(open.index, { type: 'model_output', content: open.content });
    else {
      const summary = open.text === '' ? {} : { summary: [{ type: 'text', text: open.text }] };
      const signature = open.signature === undefined ? {} : { signature: open.signature };
      this.#stop(open.index, { type: 'thought', ...signature, ...summary });
    }
  }
}
