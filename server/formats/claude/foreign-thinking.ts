// Removes other vendors' thinking from a conversation whose model changed: Claude models reject thinking that they did not
// sign.
import { isObject } from '#server/framing/loose-json.ts';
import { readSeal } from '../seal.ts';
import type { Body } from '#server/framing/strict-fields.ts';

export interface ForeignThinking {
  /** Body without foreign thinking; the same object if there is none. */
  body: Body;
  dropped: string[];
}

export interface Signing {
  /** Whether the provider signs all thinking, so that unsigned thinking is foreign. */
  signsAll: boolean;
  /** Whether the provider receives a placeholder for lost thinking. If not, thinking may have to be turned off. */
  isFilled: boolean;
}

export function foreignThinking(body: Body, { signsAll, isFilled }: Signing): ForeignThinking {
  const { messages } = body;
  if (!Array.isArray(messages)) return { body, dropped: [] };
  let isLost = false;
  const remaining = messages.flatMap((message: unknown) => {
    if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return [message];
    const content = message.content.filter((block: unknown) => !isForeign(block, signsAll));
    if (content.length === message.content.length) return [message];
    isLost = true;
    // Empty turns are rejected.
    return content.length === 0 ? [] : [{ ...message, content }];
  });
  if (!isLost) return { body, dropped: [] };
  const fitting = { ...body, messages: remaining };
  const isStopped = !isFilled && isObject(body['thinking']) && body['thinking'].type === 'enabled' && hasUnsignedCalls(remaining);
  const rest = isStopped ? withoutThinking(fitting) : { body: fitting, dropped: [] };
  return { body: rest.body, dropped: ['thinking blocks', ...rest.dropped] };
}

function isForeign(block: unknown, signsAll: boolean): boolean {
  if (!isObject(block)) return false;
  if (block.type === 'redacted_thinking') return typeof block.data === 'string' && readSeal(block.data, 'claude').origin !== 'claude';
  if (block.type !== 'thinking') return false;
  const { signature } = block;
  if (typeof signature !== 'string' || signature === '') return signsAll;
  return readSeal(signature, 'claude').origin !== 'claude';
}

/** Reports whether the prompt ends with results of calls without thinking, which models with a budget reject. */
function hasUnsignedCalls(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  const turn = messages.findLast((message) => isObject(message) && message.role === 'assistant');
  if (!isObject(last) || last.role !== 'user' || !hasBlock(last, /^tool_result$/)) return false;
  return isObject(turn) && !hasBlock(turn, /^(?:redacted_)?thinking$/);
}

function hasBlock({ content }: Readonly<Record<string, unknown>>, type: RegExp): boolean {
  return (
    Array.isArray(content) && content.some((block: unknown) => isObject(block) && typeof block.type === 'string' && type.test(block.type))
  );
}

/** Turns thinking off and removes the edits that require it. https://platform.claude.com/docs/en/build-with-claude/context-editing */
function withoutThinking({ thinking: _thinking, context_management: management, ...body }: Body): ForeignThinking {
  const edits: readonly unknown[] = isObject(management) && Array.isArray(management.edits) ? management.edits : [];
  const clearing = edits.flatMap((edit, index) =>
    isObject(edit) && typeof edit.type === 'string' && edit.type.startsWith('clear_thinking') ? [index] : [],
  );
  const dropped = ['thinking', ...clearing.map((index) => `context_management.edits.${index}`)];
  if (!isObject(management) || clearing.length === 0) {
    return { body: management === undefined ? body : { ...body, context_management: management }, dropped };
  }
  const left = edits.filter((_edit, index) => !clearing.includes(index));
  return { body: left.length === 0 ? body : { ...body, context_management: { ...management, edits: left } }, dropped };
}
