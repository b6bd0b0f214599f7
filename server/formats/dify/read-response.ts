// Reads a response or stream of an application into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { readError } from './errors.ts';
import { usageParts } from './token-usage.ts';
import { addNode, failureOfRun, type NodeTokens, textOfOutputs, usageOfRun } from './workflow.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  const { data } = body;
  if (isObject(data) && isFilled(data.status)) return readRun(data);
  const { answer, conversation_id: id, created_at: created, metadata } = body;
  if (typeof answer !== 'string') return null;
  const createdAt = typeof created === 'number' && Number.isInteger(created) && created > 0 ? { createdAt: created } : {};
  return [
    { type: 'start', id: isFilled(id) ? id : '', model: '', ...createdAt },
    ...(answer === '' ? [] : [{ type: 'text' as const, text: answer }]),
    { type: 'finish', reason: 'stop' },
    ...usageParts(metadata),
  ];
}

/** Returns null for a failed run, which `readError` reports. */
function readRun(data: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (failureOfRun(data) !== null) return null;
  const { id, outputs, total_tokens: total } = data;
  const text = textOfOutputs(outputs);
  return [
    { type: 'start', id: isFilled(id) ? id : '', model: '' },
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    { type: 'finish', reason: 'stop' },
    ...usageOfRun(total, { input: 0, output: 0 }, text),
  ];
}

export function createStreamReader(): StreamReader {
  return new DifyReader();
}

/** Delimiters of thinking, each a separate answer event. */
const thoughtBegins = /^<details [^>]*open>\s*<summary> Thinking\.\.\. <\/summary>\s*$/;
const thoughtEnds = /^\s*<\/details>\s*$/;

class DifyReader implements StreamReader {
  #hasBegun = false;
  #isThinking = false;
  #isComplete = false;
  readonly #nodes: NodeTokens = { input: 0, output: 0 };
  /** Streamed output of a workflow. */
  #reported = '';

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const event = parseObject(data);
    if (event === null) return [];
    const error = readError(event, this.#nodes);
    if (error !== null) return [{ type: 'error', error }];
    const parts = this.#event(event);
    if (parts.length === 0 || this.#hasBegun) return parts;
    this.#hasBegun = true;
    const { message_id: message, workflow_run_id: run } = event;
    const id = message ?? run;
    return [{ type: 'start', id: isFilled(id) ? id : '', model: '' }, ...parts];
  }

  #event(reported: JsonObject): ResponsePart[] {
    const { event, answer, metadata, data, message_id: message } = reported;
    if (event === 'message' || event === 'agent_message') return isFilled(answer) ? this.#say(answer) : [];
    if (event === 'message_end') {
      this.#isComplete = true;
      return [{ type: 'finish', reason: 'stop' }, ...usageParts(metadata)];
    }
    // Runs that belong to a message end with it.
    if (message === undefined && isObject(data)) {
      if (event === 'text_chunk') return isFilled(data.text) ? this.#write(data.text) : [];
      if (event === 'workflow_finished') return this.#end(data);
      if (event === 'node_finished') addNode(this.#nodes, data);
    }
    // Progress of the application is returned as thinking.
    if (typeof event !== 'string' || !isObject(data) || !/^(?:workflow|node)_(?:started|finished)$/.test(event)) return [];
    const status = isFilled(data.status) ? ` ${data.status}` : '';
    const name = event.startsWith('node') ? data.node_type : (data.workflow_id ?? data.id);
    return isFilled(name) ? [{ type: 'reasoning', text: `${event.startsWith('node') ? 'Node' : 'Workflow'}: ${name}${status}\n` }] : [];
  }

  #write(text: string): ResponsePart[] {
    this.#reported += text;
    return [{ type: 'text', text }];
  }

  #end(data: JsonObject): ResponsePart[] {
    this.#isComplete = true;
    const rest = this.#reported === '' ? textOfOutputs(data.outputs) : '';
    const usage = usageOfRun(data.total_tokens, this.#nodes, this.#reported + rest);
    return [...(rest === '' ? [] : [{ type: 'text' as const, text: rest }]), { type: 'finish', reason: 'stop' }, ...usage];
  }

  #say(text: string): ResponsePart[] {
    const begins = thoughtBegins.test(text);
    if (begins || (this.#isThinking && thoughtEnds.test(text))) {
      this.#isThinking = begins;
      return [];
    }
    return [{ type: this.#isThinking ? 'reasoning' : 'text', text }];
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
