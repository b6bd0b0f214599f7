// Writes parts as a Messages response or stream.
import { parseObject } from '#server/framing/loose-json.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions, StreamWriter } from '../client-dialect.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import type { FinishReason, ResponsePart } from '../parts.ts';
import { JsonProgress } from '#server/framing/json-progress.ts';
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import { markdownPicture } from '../media.ts';
import { type Seal, writeSeal } from '../seal.ts';
import { withUsage } from '../token-usage.ts';
import { callIds } from './call-ids.ts';
import { CitedTexts, writeCitation } from './cited-texts.ts';
import { compactedBlocks, compactionEvents, isSummary, iterationsOf, SummaryStreamWriter, writeSummary } from './compaction-block.ts';
import { errorEvent } from './errors.ts';
import { writeHostedCall, writeHostedResult } from './hosted-blocks.ts';
import { keepAlive } from './keep-alive.ts';
import { writeStopReason } from './stop-reason.ts';
import { writeServerToolUse, writeTokenUsage } from './token-usage.ts';
import { editsMade, event, type Json, messageHead, messageStart, noStart, unknownOfDelta, unknownOfMessage } from './write-message.ts';

/** Reports whether the part belongs to the first choice, the only one of the format. */
function isFirstChoice(part: ResponsePart): boolean {
  return !('choice' in part) || part.choice === undefined || part.choice === 0;
}

export function writeWhole(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Json {
  if (isSummary(options)) return writeSummary(parts, usage, options);
  const blocks: Json[] = [];
  const texts = new CitedTexts();
  let ran: HostedCalls = {};
  const calls = new Map<number, { block: Json; json: string }>();
  let start = noStart;
  let finish: { reason: FinishReason; stopSequence?: string } = { reason: 'stop' };
  for (const part of parts) {
    if (!isFirstChoice(part)) continue;
    if (part.type === 'start') start = part;
    else if (part.type === 'finish') finish = part;
    else if (part.type === 'hosted_usage') ran = Object.assign({}, ran, part.calls);
    else if (part.type === 'citation' || part.type === 'document_citation') texts.cite(part);
    else if (part.type === 'tool_call') {
      if (part.seal !== undefined) blocks.push(signedCall(part.seal, part.id));
      const block = toolUse(part, options);
      calls.set(part.index, { block, json: '' });
      blocks.push(block);
    } else if (part.type === 'tool_arguments') {
      const call = calls.get(part.index);
      if (call !== undefined) call.json += part.text;
    } else {
      addBlock(blocks, part);
      const last = blocks.at(-1);
      // Citations count the response's original text.
      if (part.type === 'text' && last !== undefined) texts.add(last, part.text);
    }
  }
  for (const { block, json } of calls.values()) block.input = parseObject(json) ?? {};
  return {
    ...messageHead(start, options),
    content: [...compactedBlocks(options), ...texts.cut(blocks)],
    ...unknownOfMessage,
    ...editsMade(options),
    stop_reason: writeStopReason(finish.reason),
    stop_sequence: finish.stopSequence ?? null,
    usage: { ...writeTokenUsage(usage ?? noTokens), ...writeServerToolUse(ran), ...iterationsOf(usage ?? noTokens, options) },
  };
}

function addBlock(blocks: Json[], part: ResponsePart): void {
  const last = blocks.at(-1);
  switch (part.type) {
    case 'text':
    case 'refusal':
      if (last?.type === 'text') last.text = `${String(last.text)}${part.text}`;
      else blocks.push({ ...textBlock, text: part.text });
      break;
    case 'image':
      blocks.push({ ...textBlock, text: markdownPicture(part) });
      break;
    case 'hosted_call':
    case 'hosted_result': {
      const block = part.type === 'hosted_call' ? writeHostedCall(part) : writeHostedResult(part);
      if (block !== null) blocks.push(block);
      break;
    }
    case 'reasoning':
      if (last?.type === 'thinking' && last.signature === '') last.thinking = `${String(last.thinking)}${part.text}`;
      else blocks.push({ type: 'thinking', thinking: part.text, signature: '' });
      break;
    case 'reasoning_seal':
      if (last?.type === 'thinking' && last.signature === '') last.signature = writeSeal(part.seal, 'claude');
      else blocks.push({ type: 'thinking', thinking: '', signature: writeSeal(part.seal, 'claude') });
      break;
    case 'sealed':
      blocks.push({ type: 'redacted_thinking', data: writeSeal(part.seal, 'claude') });
      break;
    default:
  }
}

function toolUse({ id, name }: Extract<ResponsePart, { type: 'tool_call' }>, options: ResponseWriterOptions): Json {
  return { type: 'tool_use', id: callIds.write(id, options), name, input: {}, caller: { type: 'direct' } };
}

/** Writes the signature of a call as a thinking block with the call's id, because tool call blocks have no signature. */
function signedCall(seal: Seal, callId: string): Json {
  return { type: 'redacted_thinking', data: writeSeal({ ...seal, callId }, 'claude') };
}

export function createStreamWriter(options: ResponseWriterOptions): StreamWriter {
  return isSummary(options) ? new SummaryStreamWriter(options) : new MessageStreamWriter(options);
}

type BlockKind = 'text' | 'thinking' | 'tool' | 'hosted';

/** Maximum characters that wait for an open call. */
const mostWaiting = 8 * 1024 * 1024;

/** Writes a stream whose blocks do not interleave: other parts wait until the arguments of an open call are complete. */
class MessageStreamWriter implements StreamWriter {
  readonly #options: ResponseWriterOptions;
  #hasBegun = false;
  #block: { kind: BlockKind; call: number } | null = null;
  #nextIndex = 0;
  #start = noStart;
  #usage: TokenUsage | null = null;
  #finish: { reason: FinishReason; stopSequence?: string } | null = null;
  #ran: HostedCalls = {};
  /** Whether the open text block has citations: they apply to all of it, so further text needs a new block. */
  #isCited = false;
  /** Arguments of the open call. */
  #arguments = new JsonProgress();
  #waiting: ResponsePart[] = [];
  #waitingLength = 0;
  /** Serialized start of the last delta with text, up to the text. */
  #textHead: { index: number; type: string; head: string } | null = null;

  constructor(options: ResponseWriterOptions) {
    this.#options = options;
  }

  /** @throws {RangeError} if too much waits for an incomplete call */
  write(part: ResponsePart): string {
    if (!isFirstChoice(part)) return '';
    if (part.type === 'start') this.#start = part;
    else if (part.type === 'usage') this.#usage = withUsage(this.#usage, part.usage);
    else if (part.type === 'finish') this.#finish = part;
    else if (part.type === 'hosted_usage') this.#ran = { ...this.#ran, ...part.calls };
    else if (this.#hasToWait(part)) this.#wait(part);
    else return this.#content(part);
    return '';
  }

  #hasToWait(part: ResponsePart): boolean {
    if (this.#block?.kind !== 'tool' || this.#arguments.isComplete) return false;
    return part.type !== 'tool_arguments' || part.index !== this.#block.call;
  }

  #wait(part: ResponsePart): void {
    this.#waitingLength += 'text' in part && part.text !== undefined ? part.text.length : 64;
    if (this.#waitingLength > mostWaiting) throw new RangeError('A stream holds back too much behind a call that is not complete');
    this.#waiting.push(part);
  }

  #content(part: ResponsePart): string {
    switch (part.type) {
      case 'text':
      case 'refusal':
        if (this.#isCited) return this.#close() + this.#content(part);
        return this.#open('text', textBlock) + this.#textDelta('text_delta', 'text', part.text);
      case 'reasoning':
        return this.#open('thinking', thinkingBlock) + this.#textDelta('thinking_delta', 'thinking', part.text);
      case 'reasoning_seal': {
        const signature = writeSeal(part.seal, 'claude');
        return this.#open('thinking', thinkingBlock) + this.#delta({ type: 'signature_delta', signature }) + this.#close();
      }
      case 'sealed': {
        const block = { type: 'redacted_thinking', data: writeSeal(part.seal, 'claude') };
        return this.#begin(block, { kind: 'thinking', call: -1 }) + this.#close();
      }
      case 'tool_call':
        this.#arguments = new JsonProgress();
        return this.#signature(part) + this.#begin(toolUse(part, this.#options), { kind: 'tool', call: part.index });
      case 'tool_arguments':
        return this.#writeArguments(part);
      case 'image':
        return this.#open('text', textBlock) + this.#textDelta('text_delta', 'text', markdownPicture(part));
      case 'citation':
      case 'document_citation':
        if (this.#block?.kind !== 'text') return '';
        this.#isCited = true;
        return this.#delta({ type: 'citations_delta', citation: writeCitation(part) });
      case 'hosted_call':
        return this.#hostedCall(writeHostedCall(part));
      case 'hosted_result': {
        const block = writeHostedResult(part);
        return block === null ? '' : this.#begin(block, { kind: 'hosted', call: -1 }) + this.#close();
      }
      default:
        return '';
    }
  }

  #hostedCall(block: Json | null): string {
    if (block === null) return '';
    const began = this.#begin({ ...block, input: {} }, { kind: 'hosted', call: -1 });
    return began + this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) }) + this.#close();
  }

  #signature({ seal, id }: Extract<ResponsePart, { type: 'tool_call' }>): string {
    return seal === undefined ? '' : this.#begin(signedCall(seal, id), { kind: 'thinking', call: -1 }) + this.#close();
  }

  #writeArguments({ index, text }: Extract<ResponsePart, { type: 'tool_arguments' }>): string {
    if (this.#block?.kind !== 'tool' || this.#block.call !== index) return '';
    this.#arguments.push(text);
    const delta = this.#delta({ type: 'input_json_delta', partial_json: text });
    return this.#arguments.isComplete ? delta + this.#writeWaiting() : delta;
  }

  #writeWaiting(): string {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    return waiting.map((part) => this.write(part)).join('');
  }

  keepAlive(): string {
    return keepAlive(this.#hasBegun);
  }

  fail(error: ErrorObject): string {
    return errorEvent(error, this.#options.requestId);
  }

  end(usage: TokenUsage | null): string {
    const counted = usage ?? this.#usage ?? noTokens;
    let text = this.#messageStart() + this.#close();
    // A call may have no arguments. Each round writes at least one waiting part.
    while (this.#waiting.length > 0) text += this.#writeWaiting() + this.#close();
    const { reason, stopSequence } = this.#finish ?? { reason: 'stop' };
    const delta = { ...unknownOfDelta, stop_reason: writeStopReason(reason), stop_sequence: stopSequence ?? null };
    text += event('message_delta', {
      delta,
      ...editsMade(this.#options),
      usage: { ...writeTokenUsage(counted), ...writeServerToolUse(this.#ran), ...iterationsOf(counted, this.#options) },
    });
    return text + event('message_stop', {});
  }

  /** Continues a block of that kind, or begins one. */
  #open(kind: BlockKind, block: Json): string {
    return this.#block?.kind === kind ? '' : this.#begin(block, { kind, call: -1 });
  }

  #begin(block: Json, place: { kind: BlockKind; call: number }): string {
    const before = this.#messageStart() + this.#close();
    this.#block = place;
    return before + event('content_block_start', { index: this.#nextIndex, content_block: block });
  }

  #delta(delta: Json): string {
    return event('content_block_delta', { index: this.#nextIndex, delta });
  }

  /** Like `#delta`, for the most frequent events: only the text is serialized. */
  #textDelta(type: string, field: string, text: string): string {
    const index = this.#nextIndex;
    if (this.#textHead?.index !== index || this.#textHead.type !== type) {
      const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":`;
      this.#textHead = { index, type, head };
    }
    return `${this.#textHead.head}${JSON.stringify(text)}}}\n\n`;
  }

  #close(): string {
    if (this.#block === null) return '';
    this.#block = null;
    this.#isCited = false;
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    return event('content_block_stop', { index });
  }

  #messageStart(): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    const compacted = compactedBlocks(this.#options);
    const begun = messageStart(this.#start, this.#usage, this.#options);
    return begun + compacted.map((block) => compactionEvents(block, this.#takeIndex())).join('');
  }

  #takeIndex(): number {
    this.#nextIndex += 1;
    return this.#nextIndex - 1;
  }
}

const textBlock: Json = { type: 'text', text: '', citations: [] };
const thinkingBlock: Json = { type: 'thinking', thinking: '', signature: '' };
