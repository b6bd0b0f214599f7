// Writes the compaction block: first in the response of a compacted conversation, or its only block.
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import type { ResponseWriterOptions, StreamWriter } from '../client-dialect.ts';
import type { ResponsePart } from '../parts.ts';
import { withUsage } from '../token-usage.ts';
import { compactionField, gatewaySummary, summaryOf } from './compaction.ts';
import { errorEvent } from './errors.ts';
import { keepAlive } from './keep-alive.ts';
import { readTokenUsage, writeTokenUsage } from './token-usage.ts';
import { editsMade, event, type Json, messageHead, messageStart, noStart, unknownOfDelta, unknownOfMessage } from './write-message.ts';

/** Returns a compaction block. With null, which reports a failed summary, the block has no effect. */
function blockOf(content: string | null): Json {
  return { type: 'compaction', content, encrypted_content: content === null ? null : gatewaySummary };
}

/** Returns the blocks at the start of the response of a compacted conversation. */
export function compactedBlocks({ requested }: ResponseWriterOptions): Json[] {
  const field = compactionField(requested);
  return field === null || field.isAlone ? [] : [blockOf(field.content)];
}

/** Writes the events of a block, whose summary is one delta. */
export function compactionEvents({ content, encrypted_content }: Json, index: number): string {
  return [
    event('content_block_start', { index, content_block: { type: 'compaction', content: null, encrypted_content: null } }),
    event('content_block_delta', { index, delta: { type: 'compaction_delta', content, encrypted_content } }),
    event('content_block_stop', { index }),
  ].join('');
}

/** Returns the usage of the summary, then of the response. Top-level counts are those of the response alone. */
export function iterationsOf(usage: TokenUsage, { requested, model }: ResponseWriterOptions): Json {
  const field = compactionField(requested);
  if (field === null || field.isAlone) return {};
  const summary = { ...noTokens, ...readTokenUsage(field.usage) };
  return { iterations: [iteration('compaction', summary), { ...iteration('message', usage), model }] };
}

function iteration(type: string, usage: TokenUsage): Json {
  const { cache_creation, cache_creation_input_tokens, cache_read_input_tokens, input_tokens, output_tokens } = writeTokenUsage(usage);
  return { type, cache_creation, cache_creation_input_tokens, cache_read_input_tokens, input_tokens, output_tokens };
}

/** Reports whether the model's output is the summary, and the summary the whole response. */
export function isSummary({ requested }: ResponseWriterOptions): boolean {
  return compactionField(requested)?.isAlone === true;
}

/** Usage of a response that consists of its summary: all tokens are those of the compaction. */
function summaryUsage(usage: TokenUsage): Json {
  return { ...writeTokenUsage(noTokens), iterations: [iteration('compaction', usage)] };
}

/** Collects a summary without thinking and tool calls; a truncated one is discarded. */
class Summary {
  start = noStart;
  usage: TokenUsage | null = null;
  #text = '';
  #isCut = false;

  add(part: ResponsePart): void {
    if (part.type === 'start') this.start = part;
    else if (part.type === 'usage') this.usage = withUsage(this.usage, part.usage);
    else if (part.type === 'finish') this.#isCut = part.reason !== 'stop';
    else if (part.type === 'text') this.#text += part.text;
  }

  get block(): Json {
    return blockOf(this.#isCut ? null : summaryOf(this.#text));
  }
}

const stopped = { stop_reason: 'compaction', stop_sequence: null };

export function writeSummary(parts: readonly ResponsePart[], usage: TokenUsage | null, options: ResponseWriterOptions): Json {
  const summary = new Summary();
  for (const part of parts) summary.add(part);
  return {
    ...messageHead(summary.start, options),
    content: [summary.block],
    ...unknownOfMessage,
    ...editsMade(options),
    ...stopped,
    usage: summaryUsage(usage ?? noTokens),
  };
}

export class SummaryStreamWriter implements StreamWriter {
  readonly #options: ResponseWriterOptions;
  readonly #summary = new Summary();
  #hasBegun = false;

  constructor(options: ResponseWriterOptions) {
    this.#options = options;
  }

  write(part: ResponsePart): string {
    this.#summary.add(part);
    return part.type === 'text' ? this.#begin() : '';
  }

  keepAlive(): string {
    return keepAlive(this.#hasBegun);
  }

  fail(error: ErrorObject): string {
    return errorEvent(error, this.#options.requestId);
  }

  end(usage: TokenUsage | null): string {
    const { block, usage: reported } = this.#summary;
    const delta = event('message_delta', {
      delta: { ...unknownOfDelta, ...stopped },
      ...editsMade(this.#options),
      usage: summaryUsage(usage ?? reported ?? noTokens),
    });
    return this.#begin() + compactionEvents(block, 0) + delta + event('message_stop', {});
  }

  #begin(): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    return messageStart(this.#summary.start, this.#summary.usage, this.#options);
  }
}
