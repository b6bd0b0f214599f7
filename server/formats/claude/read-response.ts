// Reads a Messages response or stream into parts. Read loosely: unexpected values count as absent.
import type { FramedEvent } from '#server/framing/framing.ts';
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import type { HostedCallPart, HostedResultPart, ResponsePart, UpstreamErrorObject } from '../parts.ts';
import type { Seal } from '../seal.ts';
import type { StreamReader } from '../upstream-dialect.ts';
import { endingParts } from '../finish-reasons.ts';
import { readHostedBlock } from './hosted-blocks.ts';
import { readStopReason } from './stop-reason.ts';
import { usageParts } from './token-usage.ts';
import { withBilled } from '../token-usage.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (!Array.isArray(body.content)) return null;
  const parts: ResponsePart[] = [startOf(body)];
  const reader = new BlockReader();
  let calls = 0;
  for (const block of body.content) {
    if (!isObject(block)) continue;
    if (block.type === 'tool_use') {
      parts.push(callOf(block, calls));
      const input = isObject(block.input) ? block.input : {};
      parts.push({ type: 'tool_arguments', index: calls, text: JSON.stringify(input) });
      calls += 1;
    } else parts.push(...reader.whole(block));
  }
  parts.push(...endOf(body), ...usageParts(body.usage));
  return parts;
}

/** Reads blocks other than the caller's tool calls in sequence: citations apply to all text of their block. */
class BlockReader {
  /** Characters of text before the block, and up to its end. */
  #start = 0;
  #end = 0;
  #citations: unknown[] = [];
  #searches = 0;

  whole(block: JsonObject): ResponsePart[] {
    return [...this.begin(block), ...this.end()];
  }

  /** Reads a block's start, which may be complete. */
  begin(block: JsonObject): ResponsePart[] {
    this.#start = this.#end;
    this.#citations = [];
    switch (block.type) {
      case 'text':
        if (Array.isArray(block.citations)) this.#citations = [...block.citations];
        return this.text(block.text);
      case 'thinking':
        return [
          ...(isFilled(block.thinking) ? [{ type: 'reasoning' as const, text: block.thinking }] : []),
          ...(isFilled(block.signature) ? [{ type: 'reasoning_seal' as const, seal: sealOf(block.signature) }] : []),
        ];
      case 'redacted_thinking':
        return isFilled(block.data) ? [{ type: 'sealed', seal: sealOf(block.data) }] : [];
      default: {
        const part = readHostedBlock(block);
        return part === null ? [] : [part, ...this.#run(part)];
      }
    }
  }

  text(text: unknown): ResponsePart[] {
    if (!isFilled(text)) return [];
    this.#end += text.length;
    return [{ type: 'text', text }];
  }

  cite(citation: unknown): void {
    this.#citations.push(citation);
  }

  end(): ResponsePart[] {
    const range = { start: this.#start, end: this.#end };
    const parts = this.#citations.flatMap((citation) => citationOf(citation, range));
    this.#citations = [];
    return parts;
  }

  /** Returns the runs so far. Searches are counted; code is one run, because one container is billed, however often it runs. */
  #run({ type, kind }: HostedCallPart | HostedResultPart): ResponsePart[] {
    if (type !== 'hosted_call') return [];
    if (kind === 'code_execution') return [{ type: 'hosted_usage', calls: { code_execution: 1 } }];
    if (kind !== 'web_search') return [];
    this.#searches += 1;
    return [{ type: 'hosted_usage', calls: { web_search: this.#searches } }];
  }
}

function sealOf(data: string): Seal {
  return { origin: 'claude', data };
}

function callOf(block: JsonObject, index: number): ResponsePart {
  return {
    type: 'tool_call',
    index,
    id: isFilled(block.id) ? block.id : `toolu_${index}`,
    name: isFilled(block.name) ? block.name : '',
  };
}

/** Reads the citation of a web page, or of a document in the request. */
function citationOf(citation: unknown, range: { start: number; end: number }): ResponsePart[] {
  if (!isObject(citation)) return [];
  const text = isFilled(citation.cited_text) ? { text: citation.cited_text } : {};
  const title = [citation.title, citation.document_title].find(isFilled);
  const shared = { ...(title === undefined ? {} : { title }), ...text, ...range };
  // The source of a search result that the caller sent is usually a URL.
  const url = [citation.url, citation.source].find(isFilled);
  if (url !== undefined) return [{ type: 'citation', url, ...shared }];
  if (typeof citation.document_index !== 'number') return [];
  return [{ type: 'document_citation', document: citation.document_index, ...shared, origin: 'claude', object: citation }];
}

function startOf(message: Readonly<JsonObject>): ResponsePart {
  return { type: 'start', id: isFilled(message.id) ? message.id : '', model: isFilled(message.model) ? message.model : '' };
}

/** Reads the stop reason and its explanation. */
function endOf({ stop_reason: reason, stop_sequence: sequence, stop_details: details }: Readonly<JsonObject>): ResponsePart[] {
  const read = readStopReason(reason);
  const isRefusal = read !== null && 'reason' in read && read.reason === 'content_filter';
  const why = isRefusal && isObject(details) ? details.explanation : undefined;
  return [
    ...(isFilled(why) ? [{ type: 'refusal' as const, text: why }] : []),
    ...endingParts(read, isFilled(sequence) ? { stopSequence: sequence } : {}),
  ];
}

export function createStreamReader(): StreamReader {
  return new MessageStreamReader();
}

class MessageStreamReader implements StreamReader {
  /** Part budget of inputs, which are streamed as text. */
  readonly #budget = new PartBudget();
  #isComplete = false;
  /** Call number by block index. */
  readonly #calls = new Map<number, number>();
  readonly #blocks = new BlockReader();
  /** Hosted tool call whose input is incomplete. */
  #hosted: { block: JsonObject; json: string } | null = null;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read({ data }: FramedEvent): readonly ResponsePart[] {
    const written = textDelta.exec(data)?.[1];
    if (written !== undefined) return this.#blocks.text(written);
    const event = parseObject(data);
    if (event === null) return [];
    const parts: ResponsePart[] = [];
    switch (event.type) {
      case 'message_start':
        if (isObject(event.message)) {
          parts.push(startOf(event.message));
          parts.push(...usageParts(event.message.usage));
        }
        break;
      case 'content_block_start':
        if (isObject(event.content_block)) parts.push(...this.#begin(event.content_block, blockIndex(event)));
        break;
      case 'content_block_delta':
        if (isObject(event.delta)) parts.push(...this.#delta(event.delta, blockIndex(event)));
        break;
      case 'content_block_stop':
        parts.push(...this.#stop());
        break;
      case 'message_delta': {
        if (isObject(event.delta)) parts.push(...endOf(event.delta));
        parts.push(...usageParts(event.usage));
        break;
      }
      case 'message_stop':
        this.#isComplete = true;
        break;
      case 'error': {
        const error = readError(event);
        if (error !== null) parts.push({ type: 'error', error });
        break;
      }
      default: // `ping` and future events
    }
    return parts;
  }

  #begin(block: JsonObject, index: number): ResponsePart[] {
    if (block.type === 'server_tool_use' || block.type === 'mcp_tool_use') {
      this.#hosted = { block, json: '' };
      return [];
    }
    if (block.type !== 'tool_use') return this.#blocks.begin(block);
    const call = this.#calls.size;
    this.#calls.set(index, call);
    const parts = [callOf(block, call)];
    // Some servers send the whole input at once.
    if (isObject(block.input) && Object.keys(block.input).length > 0) {
      parts.push({ type: 'tool_arguments', index: call, text: JSON.stringify(block.input) });
    }
    return parts;
  }

  #stop(): ResponsePart[] {
    const hosted = this.#hosted;
    this.#hosted = null;
    if (hosted === null) return this.#blocks.end();
    return this.#blocks.whole({ ...hosted.block, input: this.#budget.parseObject(hosted.json) ?? hosted.block.input });
  }

  #delta(delta: JsonObject, block: number): ResponsePart[] {
    switch (delta.type) {
      case 'text_delta':
        return this.#blocks.text(delta.text);
      case 'thinking_delta':
        return isFilled(delta.thinking) ? [{ type: 'reasoning', text: delta.thinking }] : [];
      case 'signature_delta':
        return isFilled(delta.signature) ? [{ type: 'reasoning_seal', seal: sealOf(delta.signature) }] : [];
      case 'citations_delta':
        this.#blocks.cite(delta.citation);
        return [];
      case 'input_json_delta': {
        if (this.#hosted !== null && isFilled(delta.partial_json)) this.#hosted.json += delta.partial_json;
        const index = this.#calls.get(block);
        return index !== undefined && isFilled(delta.partial_json) ? [{ type: 'tool_arguments', index, text: delta.partial_json }] : [];
      }
      default:
        return [];
    }
  }
}

/** Matches text deltas without JSON escapes, the most frequent events. Some are padded to hide their length. */
const textDelta =
  /^\{"type":"content_block_delta","index":(?:0|[1-9]\d{0,8}),"delta":\{"type":"text_delta","text":"([ !#-[\]-\uffff]*)"\} *\} *$/;

function blockIndex({ index }: JsonObject): number {
  return typeof index === 'number' ? index : 0;
}

export function readError(body: Readonly<JsonObject>): UpstreamErrorObject | null {
  const { error } = body;
  if (body.type !== 'error' || !isObject(error)) return null;
  const type = isFilled(error.type) ? error.type : 'api_error';
  // Other hosts use other error types and report their status.
  const status = statuses.get(type) ?? (typeof error.status === 'number' ? error.status : undefined);
  const stated = { message: isFilled(error.message) ? error.message : type, type, ...(status === undefined ? {} : { status }) };
  return withBilled(stated, usageParts(body.usage));
}

/** https://platform.claude.com/docs/en/api/errors */
const statuses: ReadonlyMap<string, number> = new Map(
  Object.entries({
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
  }),
);

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
