// Sends thinking of earlier turns back in the fields of the provider's record, with placeholders if the provider rejects turns without
// thinking.
import { isObject } from '#server/framing/loose-json.ts';
import type { Losses } from '../losses.ts';
import type { AssistantPart } from '../parts.ts';
import type { ThoughtsRule } from '../provider-traits.ts';
import { encryptedDetail, textDetail } from './reasoning-details.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns fields of an assistant message. Thinking without a field is reported. */
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

/** Excludes thinking signed by another vendor's model; some callers send an empty signature instead of none. */
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

/** Returns the same list if every turn has thinking, or none is needed. */
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

/** Whether thinking is present; an empty text counts if no placeholder is needed. */
function isThere(value: unknown, placeholder: string): boolean {
  return typeof value === 'string' && (value !== '' || placeholder === '');
}

/** Reads the fields of other providers' clients. */
function thoughtIn({ reasoning_content: content, reasoning, reasoning_details: details }: Json): string {
  for (const text of [content, reasoning]) if (typeof text === 'string' && text !== '') return text;
  const texts = Array.isArray(details) ? details.map((detail: unknown) => (isObject(detail) ? (detail.text ?? detail.summary) : '')) : [];
  return texts.filter((text) => typeof text === 'string').join('');
}
