// Adds placeholders for missing thinking in tool call turns, for other vendors with this format: they do not sign thinking,
// and reject tool call turns without it while thinking is on. https://api-docs.deepseek.com/guides/anthropic_api https://github.com/QwenLM/qwen-code/pull/3788
// https://github.com/NousResearch/hermes-agent/pull/14018
import { isObject } from '#server/framing/loose-json.ts';
import type { ThoughtsRule } from '../provider-traits.ts';

type Body = Readonly<Record<string, unknown>>;

/** Returns the same body if every tool call turn has thinking, or none is needed. */
export function withPlaceholders(body: Body, rule: ThoughtsRule | undefined, model: string): Body {
  const wanted = rule?.placeholders?.find(({ models }) => models.test(model));
  const { messages, thinking } = body;
  if (wanted === undefined || !Array.isArray(messages) || (isObject(thinking) && thinking.type === 'disabled')) return body;
  const filled = messages.map((message: unknown) => filledTurn(message, wanted.text));
  return filled.some((message, index) => message !== messages[index]) ? { ...body, messages: filled } : body;
}

function filledTurn(message: unknown, text: string): unknown {
  if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return message;
  const content: readonly unknown[] = message.content;
  if (!content.some((block) => isObject(block) && block.type === 'tool_use')) return message;
  const thoughts = content.filter((block) => isObject(block) && block.type === 'thinking');
  if (thoughts.length === 0) return { ...message, content: [thinkingBlock(text), ...content] };
  if (thoughts.every((block) => isThinking(block, text))) return message;
  const filled = content.map((block) => {
    const isEmpty = isObject(block) && thoughts.includes(block) && !isThinking(block, text);
    return isEmpty ? { ...block, thinking: text } : block;
  });
  return { ...message, content: filled };
}

/** Reports whether the block is thinking; an empty text does not count if a placeholder is required. */
function isThinking(block: unknown, placeholder: string): boolean {
  if (!isObject(block) || typeof block.thinking !== 'string') return false;
  return block.thinking !== '' || placeholder === '';
}

/**
 * Returns an unsigned thinking block.
 * @param thinking text of the block
 */
export function thinkingBlock(thinking: string): Record<string, unknown> {
  return { type: 'thinking', thinking, signature: '' };
}
