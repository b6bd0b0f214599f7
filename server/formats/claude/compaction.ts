// Compaction: reads `compaction` blocks in requests, replaces them for other models, and requests a summary if the provider
// does not write one. https://platform.claude.com/docs/en/build-with-claude/compaction
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { ShortenedPrompt, Shortening } from '../prompt-edits.ts';
import { summaryInstruction } from '../summary-instruction.ts';
import { tokenCount } from '../token-usage.ts';

type Body = Readonly<Record<string, unknown>>;
type Block = Readonly<Record<string, unknown>>;

const editType = 'compact_20260112';
const usualThreshold = 150_000;
/** Maximum tokens of a summary; a truncated one is discarded. */
const longestSummary = 16_384;

/** `encrypted_content` of a summary that the gateway wrote, which no provider signed. */
export const gatewaySummary = 'tidegate-seal:tidegate:summary';

const introduction = 'What was said before has been replaced by this summary of it:';

export function isCompactEdit(edit: unknown): edit is Block {
  return isObject(edit) && edit.type === editType;
}

export interface CompactionPlace {
  /** Position of the last effective block. */
  message: number;
  block: number;
}

/** Returns the last effective compaction block; null if there is none. Blocks of failed summaries have no effect. */
export function lastCompaction(messages: readonly unknown[]): CompactionPlace | null {
  const message = messages.findLastIndex((one) => blocksOf(one).some(isCompaction));
  return message < 0 ? null : { message, block: blocksOf(messages[message]).findLastIndex(isCompaction) };
}

export function isCompaction(block: unknown): block is Block & { content: string } {
  return isObject(block) && block.type === 'compaction' && typeof block.content === 'string' && block.content !== '';
}

/** Text that carries a summary to a model of any vendor. */
export function summaryText(summary: string): string {
  return `${introduction}\n\n${summary}`;
}

/** Replaces everything before the last summary with its text; returns the same list if there is none. */
export function sinceCompaction(messages: readonly unknown[]): readonly unknown[] {
  const place = lastCompaction(messages);
  if (place === null) return messages;
  const holder = messages[place.message];
  const blocks = blocksOf(holder);
  const block = blocks[place.block];
  const rest = blocks.slice(place.block + 1);
  const cache = isObject(block) && block.cache_control !== undefined ? { cache_control: block.cache_control } : {};
  const text = summaryText(isCompaction(block) ? block.content : '');
  return [
    { role: 'user', content: [{ type: 'text', text, ...cache }] },
    ...(isObject(holder) && rest.length > 0 ? [{ ...holder, content: rest }] : []),
    ...messages.slice(place.message + 1),
  ];
}

/** Replaces the gateway's summaries by text, because providers accept only their own; the same body if there are none. */
export function withoutGatewaySummaries(body: Body): Body {
  const messages = messagesOf(body);
  const place = lastCompaction(messages);
  if (place === null) return body;
  const block = blocksOf(messages[place.message])[place.block];
  return isObject(block) && block.encrypted_content === gatewaySummary ? { ...body, messages: sinceCompaction(messages) } : body;
}

/** Returns the requested compaction; null if none. A request with `compaction` wants a summary only, whatever its edits. */
export function shorteningOf({ compaction, context_management: management }: Body): Shortening | null {
  if (isObject(compaction) && compaction.type === 'summarize') return new GatewayCompaction(compaction, null, alone);
  const edits: readonly unknown[] = isObject(management) && Array.isArray(management.edits) ? management.edits : [];
  const edit = edits.find(isCompactEdit);
  if (edit === undefined) return null;
  const reported = isObject(edit['trigger']) ? tokenCount(edit['trigger'].value) : undefined;
  return new GatewayCompaction(edit, reported ?? usualThreshold, edit['pause_after_compaction'] === true ? alone : undefined);
}

const alone = { compaction: { isAlone: true } satisfies CompactionField };

class GatewayCompaction implements Shortening {
  readonly threshold: number | null;
  readonly asAnswer?: typeof alone;
  readonly #instruction: string;

  constructor({ instructions }: Block, threshold: number | null, asAnswer: typeof alone | undefined) {
    this.threshold = threshold;
    if (asAnswer !== undefined) this.asAnswer = asAnswer;
    this.#instruction = typeof instructions === 'string' && instructions.trim() !== '' ? instructions : summaryInstruction;
  }

  /** Summarizes the whole conversation: later requests omit everything before the block. */
  request(body: Body): Record<string, unknown> | null {
    const messages = messagesOf(body);
    if (this.threshold !== null && tailStart(messages) <= 0) return null;
    const same = Object.fromEntries(Object.entries(body).filter(([name]) => !ofAnswers.has(name)));
    const choice = Array.isArray(body['tools']) && body['tools'].length > 0 ? { tool_choice: { type: 'none' } } : {};
    const requested = { role: 'user', content: [{ type: 'text', text: this.#instruction }] };
    const stream = this.asAnswer !== undefined && body['stream'] === true;
    return { ...same, ...choice, messages: [...messages, requested], max_tokens: longestSummary, ...(stream ? { stream } : {}) };
  }

  shorten(body: Body, answer: Buffer | null): ShortenedPrompt {
    const rest = withoutEdit(body);
    if (answer === null) return { body: rest };
    const response = parseObject(answer.toString('utf8')) ?? {};
    const content = summaryIn(response);
    const usage = isObject(response['usage']) ? response['usage'] : {};
    const responseFields = { compaction: { isAlone: false, content, usage } satisfies CompactionField };
    if (content === null) return { body: rest, responseFields };
    const messages = sinceCompaction(messagesOf(body));
    const tail = messages.slice(Math.max(0, tailStart(messages)));
    const text = { type: 'text', text: summaryText(content) };
    return { body: { ...rest, messages: [{ role: 'user', content: [text] }, ...tail] }, responseFields, isShorter: true };
  }
}

/** Compaction for the response, in `responseFields`. `isAlone`: the model's output is the summary. */
export type CompactionField = { isAlone: true } | { isAlone: false; content: string | null; usage: Block };

export function compactionField({ compaction }: Readonly<Record<string, unknown>> = {}): CompactionField | null {
  if (!isObject(compaction)) return null;
  if (compaction.isAlone === true) return { isAlone: true };
  const { content, usage } = compaction;
  return { isAlone: false, content: typeof content === 'string' ? content : null, usage: isObject(usage) ? usage : {} };
}

/** Extracts the summary from the model's text, in which it may be tagged; null if it is empty. */
export function summaryOf(text: string): string | null {
  const begin = text.indexOf(summaryTag);
  const end = text.lastIndexOf(summaryEnd);
  const reported = begin < 0 || end < begin ? text : text.slice(begin + summaryTag.length, end);
  return reported.trim() === '' ? null : reported.trim();
}

const summaryTag = '<summary>';
const summaryEnd = '</summary>';

/** Fields that concern the response, not the conversation. */
const ofAnswers: ReadonlySet<string> = new Set([
  'compaction',
  'container',
  'context_management',
  'max_tokens',
  'output_config',
  'output_format',
  'stop_sequences',
  'stream',
  'thinking',
  'tool_choice',
]);

function summaryIn({ stop_reason: reason, content }: Block): string | null {
  if (reason !== 'end_turn') return null;
  return summaryOf(
    blocksOf({ content })
      .flatMap((block) => (block['type'] === 'text' && typeof block['text'] === 'string' ? [block['text']] : []))
      .join(''),
  );
}

/** Removes the edit that the gateway applies. */
function withoutEdit({ context_management: management, ...rest }: Body): Record<string, unknown> {
  const edits: readonly unknown[] = isObject(management) && Array.isArray(management.edits) ? management.edits : [];
  const others = edits.filter((edit) => !isCompactEdit(edit));
  return others.length === 0 ? rest : { ...rest, context_management: { edits: others } };
}

/** Start of the pending part: last messages, and results with their calls. */
function tailStart(messages: readonly unknown[]): number {
  let start = messages.length;
  while (start > 0 && isOfModel(messages[start - 1])) start -= 1;
  while (start > 0 && !isOfModel(messages[start - 1])) start -= 1;
  const hasResults = messages.slice(start).some((message) => blocksOf(message).some(({ type }) => type === 'tool_result'));
  if (hasResults) while (start > 0 && isOfModel(messages[start - 1])) start -= 1;
  return start;
}

function isOfModel(message: unknown): boolean {
  return isObject(message) && message.role === 'assistant';
}

function messagesOf({ messages }: Body): readonly unknown[] {
  return Array.isArray(messages) ? messages : [];
}

function blocksOf(message: unknown): Block[] {
  return isObject(message) && Array.isArray(message.content) ? message.content.filter(isObject) : [];
}
