// Conversations that are shortened: `compaction` blocks as requests send them back, what stands for one where no Claude reads it, and the
// request for a summary where the provider writes none. https://platform.claude.com/docs/en/build-with-claude/compaction
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import type { ShortenedPrompt, Shortening } from '../prompt-edits.ts';
import { summaryInstruction } from '../summary-instruction.ts';
import { tokenCount } from '../token-usage.ts';

type Body = Readonly<Record<string, unknown>>;
type Block = Readonly<Record<string, unknown>>;

const editType = 'compact_20260112';
const usualThreshold = 150_000;
/** Tokens of a summary, at the most: one that is cut stands for nothing. */
const longestSummary = 16_384;

/** What `encrypted_content` of a summary holds that was written here: no provider has signed it. */
export const gatewaySummary = 'tidegate-seal:tidegate:summary';

const introduction = 'What was said before has been replaced by this summary of it:';

export function isCompactEdit(edit: unknown): edit is Block {
  return isObject(edit) && edit.type === editType;
}

export interface CompactionPlace {
  /** Of the last block that stands for what is before it. */
  message: number;
  block: number;
}

/** Null: nothing does. Blocks of summaries that failed stand for nothing. */
export function lastCompaction(messages: readonly unknown[]): CompactionPlace | null {
  const message = messages.findLastIndex((one) => blocksOf(one).some(isCompaction));
  return message < 0 ? null : { message, block: blocksOf(messages[message]).findLastIndex(isCompaction) };
}

export function isCompaction(block: unknown): block is Block & { content: string } {
  return isObject(block) && block.type === 'compaction' && typeof block.content === 'string' && block.content !== '';
}

/** How a model is told the summary that any other may have written. */
export function summaryText(summary: string): string {
  return `${introduction}\n\n${summary}`;
}

/** The very same where no summary stands for what is before it; otherwise the summary as a text, and what is behind it. */
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

/** Summaries that were written here, told to a provider that takes its own alone. The very same where there is none. */
export function withoutGatewaySummaries(body: Body): Body {
  const messages = messagesOf(body);
  const place = lastCompaction(messages);
  if (place === null) return body;
  const block = blocksOf(messages[place.message])[place.block];
  return isObject(block) && block.encrypted_content === gatewaySummary ? { ...body, messages: sinceCompaction(messages) } : body;
}

/** Null: none is asked for. `compaction` asks for nothing but a summary, whatever the edits say. */
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

  /** All of it is summarized, because later requests leave out all that stands before the block. */
  request(body: Body): Record<string, unknown> | null {
    const messages = messagesOf(body);
    if (this.threshold !== null && tailStart(messages) <= 0) return null;
    const same = Object.fromEntries(Object.entries(body).filter(([name]) => !ofAnswers.has(name)));
    const choice = Array.isArray(body['tools']) && body['tools'].length > 0 ? { tool_choice: { type: 'none' } } : {};
    const requested = { role: 'user', content: [{ type: 'text', text: this.#instruction }] };
    const stream = this.asAnswer !== undefined && body['stream'] === true;
    return { ...same, ...choice, messages: [...messages, requested], max_tokens: longestSummary, ...(stream ? { stream } : {}) };
  }

  goOn(body: Body, answer: Buffer | null): ShortenedPrompt {
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

/** What a response is told of it by `responseFields`. `isAlone`: what the model writes is the summary. */
export type CompactionField = { isAlone: true } | { isAlone: false; content: string | null; usage: Block };

export function compactionField({ compaction }: Readonly<Record<string, unknown>> = {}): CompactionField | null {
  if (!isObject(compaction)) return null;
  if (compaction.isAlone === true) return { isAlone: true };
  const { content, usage } = compaction;
  return { isAlone: false, content: typeof content === 'string' ? content : null, usage: isObject(usage) ? usage : {} };
}

/** As instructions of callers ask for it, or as it is. Null: there is none. */
export function summaryOf(text: string): string | null {
  const begin = text.indexOf(summaryTag);
  const end = text.lastIndexOf(summaryEnd);
  const reported = begin < 0 || end < begin ? text : text.slice(begin + summaryTag.length, end);
  return reported.trim() === '' ? null : reported.trim();
}

const summaryTag = '<summary>';
const summaryEnd = '</summary>';

/** Of a request: they are about its answer, and not about the conversation. */
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

/** It is done. */
function withoutEdit({ context_management: management, ...rest }: Body): Record<string, unknown> {
  const edits: readonly unknown[] = isObject(management) && Array.isArray(management.edits) ? management.edits : [];
  const others = edits.filter((edit) => !isCompactEdit(edit));
  return others.length === 0 ? rest : { ...rest, context_management: { edits: others } };
}

/** Where what waits for an answer begins: messages, and results with the calls that they belong to. */
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
