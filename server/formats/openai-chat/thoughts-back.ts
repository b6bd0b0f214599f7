// What a model thought in earlier turns, in messages that go back to a provider: in the fields that its record names, and where a turn has
// no thoughts, the text without which the provider refuses the turn.
import { isObject } from '#server/framing/loose-json.ts';
import type { Losses } from '../losses.ts';
import type { AssistantPart } from '../parts.ts';
import type { ThoughtsRule } from '../provider-traits.ts';
import { encryptedDetail, textDetail } from './reasoning-details.ts';

type Json = Readonly<Record<string, unknown>>;

/** Fields of an assistant's message. Thoughts that have no place in them are named. */
export function writeThoughts(parts: readonly AssistantPart[], rule: ThoughtsRule | undefined, losses: Losses): Record<string, unknown> {
  const details = rule?.fields.includes('reasoning_details') === true ? parts.flatMap(detailsOf) : [];
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'reasoning' && rule !== undefined && isReadable(part, rule)) texts.push(part.text);
    else if (rule?.takesSeals !== true && isThought(part)) losses.drop('thoughts');
  }
  const text = texts.filter((one) => one !== '').join('\n');
  const written: Record<string, unknown> = {};
  for (const field of rule?.fields ?? []) {
    if (field === 'reasoning_details') {
      if (details.length > 0) written[field] = details;
    } else if (text !== '') written[field] = text;
  }
  return written;
}

function isThought(part: AssistantPart): boolean {
  return part.type === 'reasoning' || part.type === 'sealed' || (part.type === 'tool_call' && part.seal !== undefined);
}

/** What another vendor has signed was another model's; some callers send an empty signature back where there was none. */
function isReadable({ seal }: Extract<AssistantPart, { type: 'reasoning' }>, { takesSeals }: ThoughtsRule): boolean {
  return takesSeals === true || seal === undefined || seal.data === '';
}

function detailsOf(part: AssistantPart): Record<string, unknown>[] {
  if (part.type === 'reasoning') {
    const { text, seal } = part;
    return text === '' && seal === undefined ? [] : [textDetail(text, seal?.data === '' ? undefined : seal)];
  }
  if (part.type === 'sealed') return [encryptedDetail(part.seal)];
  return part.type === 'tool_call' && part.seal !== undefined ? [{ ...encryptedDetail(part.seal), id: part.id }] : [];
}

/** The very same list where every turn has its thoughts, or none is wanted. */
export function withPlaceholders(messages: readonly unknown[], rule: ThoughtsRule | undefined, model: string): readonly unknown[] {
  const wanted = rule?.placeholders?.find(({ models }) => models.test(model));
  const field = rule?.fields.find((name) => name !== 'reasoning_details');
  if (wanted === undefined || field === undefined) return messages;
  const filled = messages.map((message) => {
    if (!isObject(message) || message.role !== 'assistant' || isThere(message[field], wanted.text)) return message;
    return { ...message, [field]: thoughtIn(message) || wanted.text };
  });
  return filled.some((message, index) => message !== messages[index]) ? filled : messages;
}

/** Where nothing may stand, an empty text is enough. */
function isThere(value: unknown, placeholder: string): boolean {
  return typeof value === 'string' && (value !== '' || placeholder === '');
}

/** As clients of other providers send them back. */
function thoughtIn({ reasoning_content: content, reasoning, reasoning_details: details }: Json): string {
  for (const text of [content, reasoning]) if (typeof text === 'string' && text !== '') return text;
  const texts = Array.isArray(details) ? details.map((detail: unknown) => (isObject(detail) ? (detail.text ?? detail.summary) : '')) : [];
  return texts.filter((text) => typeof text === 'string').join('');
}
