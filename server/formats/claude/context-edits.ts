// Applies prompt edits of Messages requests (`context_management.edits`) for providers that do not: clears old tool results and thinking.
// https://platform.claude.com/docs/en/build-with-claude/context-editing
import { isObject } from '#server/framing/loose-json.ts';
import type { CountText, EditedPrompt, PromptEdits } from '../prompt-edits.ts';
import { tokenCount } from '../token-usage.ts';
import { isCompactEdit } from './compaction.ts';

type Body = Readonly<Record<string, unknown>>;
type Block = Readonly<Record<string, unknown>>;

const toolUses = 'clear_tool_uses_20250919';
const thoughts = 'clear_thinking_20251015';
const usualTrigger = 100_000;
const usualKeep = 3;
const usualTurns = 1;
/** Approximate tokens of an image. */
const perImage = 1600;
const placeholder = '[The result of this tool call was cleared to save context.]';

/** Reports whether the gateway supports all requested edits. */
export function editsAreOurs({ context_management: management }: Body): boolean {
  return (
    isObject(management) &&
    Array.isArray(management.edits) &&
    management.edits.length > 0 &&
    management.edits.every((edit) => isOurs(edit) || isCompactEdit(edit))
  );
}

function isOurs(edit: unknown): edit is Block {
  return isObject(edit) && (edit.type === toolUses || edit.type === thoughts);
}

/** Returns null if no edits are requested. */
export function promptEdits({ context_management: management }: Body): PromptEdits | null {
  const edits = isObject(management) && Array.isArray(management.edits) ? management.edits.filter(isOurs) : [];
  if (edits.length === 0) return null;
  const triggers = edits.flatMap((edit) => (edit['type'] === toolUses ? (triggerOf(edit).tokens ?? []) : []));
  return {
    trigger: triggers.length === 0 ? null : Math.min(...triggers),
    apply: (body, tokens, countOf) => applied(body, { edits, tokens, countOf }),
  };
}

function applied(body: Body, { edits, tokens, countOf }: { edits: readonly Block[]; tokens: number; countOf: CountText }): EditedPrompt {
  const messages: readonly unknown[] = Array.isArray(body['messages']) ? body['messages'] : [];
  let now = { messages, tokens };
  const appliedEdits: Block[] = [];
  for (const edit of edits) {
    const made = edit['type'] === toolUses ? clearToolUses(now, edit, countOf) : clearThoughts(now, edit, countOf);
    if (made === null) continue;
    const { reported, cleared } = made;
    now = { messages: made.messages, tokens: now.tokens - cleared };
    appliedEdits.push({ type: edit['type'], cleared_input_tokens: cleared, ...reported });
  }
  const isSame = now.messages === messages;
  return { body: isSame ? null : { ...body, messages: now.messages }, responseFields: { applied_edits: appliedEdits } };
}

interface AppliedEdit {
  messages: readonly unknown[];
  cleared: number;
  reported: Block;
}

type PromptState = Pick<AppliedEdit, 'messages'> & { tokens: number };

/** Returns the trigger of the edit, in prompt tokens or tool uses; the default if it is absent or invalid. */
function triggerOf({ trigger }: Block): { tokens?: number; uses?: number } {
  if (!isObject(trigger)) return { tokens: usualTrigger };
  const value = tokenCount(trigger.value) ?? usualTrigger;
  return trigger.type === 'tool_uses' ? { uses: value } : { tokens: value };
}

function clearToolUses({ messages, tokens }: PromptState, edit: Block, countOf: CountText): AppliedEdit | null {
  const uses = blocksIn(messages).filter((block) => block['type'] === 'tool_use');
  const trigger = triggerOf(edit);
  if (trigger.uses === undefined ? tokens <= (trigger.tokens ?? usualTrigger) : uses.length <= trigger.uses) return null;
  const keep = valueOf(edit['keep']) ?? usualKeep;
  const excluded = namesIn(edit['exclude_tools']);
  const old = uses.slice(0, Math.max(0, uses.length - keep)).filter(({ name }) => !excluded.has(name));
  const results = new Map(blocksIn(messages).flatMap((block) => (isUncleared(block) ? [[block['tool_use_id'], block] as const] : [])));
  const stale = old.filter(({ id }) => results.has(id));
  const inputs = edit['clear_tool_inputs'];
  const named = namesIn(inputs);
  const isBare = ({ name }: Block) => inputs === true || named.has(name);
  const whole = countOf(placeholder);
  const cleared = stale.reduce((sum, use) => {
    const input = isBare(use) ? countOf(JSON.stringify(use['input'] ?? {})) : 0;
    return sum + input + Math.max(0, tokensOf(results.get(use['id'])?.['content'], countOf) - whole);
  }, 0);
  if (stale.length === 0 || cleared < (valueOf(edit['clear_at_least']) ?? 0)) return null;
  const ids = new Set(stale.map(({ id }) => id));
  const bare = new Set(stale.filter(isBare).map(({ id }) => id));
  const edited = editBlocks(messages, (block) => {
    if (block['type'] === 'tool_result' && ids.has(block['tool_use_id'])) return { ...block, content: placeholder };
    return block['type'] === 'tool_use' && bare.has(block['id']) ? { ...block, input: {} } : block;
  });
  return { messages: edited, cleared, reported: { cleared_tool_uses: stale.length } };
}

function isUncleared({ type, content }: Block): boolean {
  return type === 'tool_result' && content !== placeholder;
}

/** Clears thinking of old turns; a turn lasts until the next message of the user other than tool results. */
function clearThoughts({ messages }: PromptState, edit: Block, countOf: CountText): AppliedEdit | null {
  const { keep } = edit;
  if (keep === 'all' || (isObject(keep) && keep.type === 'all')) return null;
  const turns: number[] = [];
  let turn = 0;
  const turnOf = messages.map((message) => {
    if (isObject(message) && message.role === 'user' && !isResults(message)) turn += 1;
    if (blocksIn([message]).some(isThought) && turns.at(-1) !== turn) turns.push(turn);
    return turn;
  });
  const retained = valueOf(keep) ?? usualTurns;
  const old = new Set(turns.slice(0, Math.max(0, turns.length - retained)));
  if (old.size === 0) return null;
  let cleared = 0;
  const edited = messages.flatMap((message, index): unknown[] => {
    if (!isObject(message) || !Array.isArray(message.content) || !old.has(turnOf[index] ?? -1)) return [message];
    const content = message.content.filter((block: unknown) => {
      if (!isObject(block) || !isThought(block)) return true;
      if (typeof block.thinking === 'string') cleared += countOf(block.thinking);
      return false;
    });
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  return { messages: edited, cleared, reported: { cleared_thinking_turns: old.size } };
}

function isThought({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Reports whether the message has tool results, which continue the turn. */
function isResults({ content }: Block): boolean {
  return Array.isArray(content) && content.some((block: unknown) => isObject(block) && block.type === 'tool_result');
}

function blocksIn(messages: readonly unknown[]): Block[] {
  return messages.flatMap((message) => (isObject(message) && Array.isArray(message.content) ? message.content.filter(isObject) : []));
}

function editBlocks(messages: readonly unknown[], edit: (block: Block) => Block): unknown[] {
  return messages.map((message) => {
    if (!isObject(message) || !Array.isArray(message.content)) return message;
    const before: readonly unknown[] = message.content;
    const content = before.map((block) => (isObject(block) ? edit(block) : block));
    return content.every((block, index) => block === before[index]) ? message : { ...message, content };
  });
}

function tokensOf(content: unknown, countOf: CountText): number {
  if (typeof content === 'string') return countOf(content);
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, block: unknown) => {
    if (!isObject(block)) return sum;
    if (typeof block.text === 'string') return sum + countOf(block.text);
    return sum + (block.type === 'image' ? perImage : countOf(JSON.stringify(block)));
  }, 0);
}

/** Reads the number in `{ type, value }`. */
function valueOf(value: unknown): number | undefined {
  return isObject(value) ? tokenCount(value.value) : undefined;
}

function namesIn(value: unknown): ReadonlySet<unknown> {
  return new Set(Array.isArray(value) ? value : []);
}
