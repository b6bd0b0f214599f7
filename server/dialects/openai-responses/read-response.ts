// A Responses response → parts. Read loosely: what is not as expected counts as absent.
import { isObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { argumentsOfText } from '../text-tools.ts';
import { readFinish } from './finish-reason.ts';
import { usageParts } from './token-usage.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (!Array.isArray(body.output)) return null;
  const parts: ResponsePart[] = [startOf(body)];
  let calls = 0;
  for (const item of body.output) {
    if (!isObject(item)) continue;
    const call = callOf(item, calls);
    if (call !== null) {
      parts.push(call, { type: 'tool_arguments', index: calls, text: argumentsOf(item) });
      calls += 1;
    } else if (item.type === 'reasoning') parts.push(...thoughtsOf(item));
    else if (item.type === 'message') parts.push(...contentOf(item));
  }
  const reason = readFinish(body, calls > 0);
  if (reason !== null) parts.push({ type: 'finish', reason });
  parts.push(...usageParts(body.usage));
  return parts;
}

export function startOf(response: Readonly<JsonObject>): ResponsePart {
  return {
    type: 'start',
    id: textOf(response.id),
    model: textOf(response.model),
    ...(typeof response.created_at === 'number' ? { createdAt: Math.floor(response.created_at) } : {}),
  };
}

/** The beginning of a call of one of the caller's tools; null: it is another item. */
export function callOf(item: JsonObject, index: number): Extract<ResponsePart, { type: 'tool_call' }> | null {
  if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return null;
  return { type: 'tool_call', index, id: textOf(item.call_id) || textOf(item.id) || `call_${index}`, name: textOf(item.name) };
}

/** All that the model has called it with; empty while that is still to come. */
export function argumentsOf(item: JsonObject): string {
  if (item.type === 'custom_tool_call') return argumentsOfText(textOf(item.input));
  return isObject(item.arguments) ? JSON.stringify(item.arguments) : textOf(item.arguments);
}

function thoughtsOf(item: JsonObject): ResponsePart[] {
  const text = thoughtIn(item);
  const parts: ResponsePart[] = text === '' ? [] : [{ type: 'reasoning', text }];
  return [...parts, ...sealOf(item, text !== '')];
}

/** The summary, or where there is none the thoughts themselves. */
export function thoughtIn({ summary, content }: JsonObject): string {
  return textsIn(summary).join('\n\n') || textsIn(content).join('');
}

/** @param hasText whether its text has been told */
export function sealOf({ encrypted_content: encrypted }: JsonObject, hasText: boolean): ResponsePart[] {
  const data = textOf(encrypted);
  return data === '' ? [] : [{ type: hasText ? 'reasoning_seal' : 'sealed', seal: { origin: 'openai', data } }];
}

export function contentOf({ content }: JsonObject): ResponsePart[] {
  const parts: ResponsePart[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    if (!isObject(part)) continue;
    const refusal = textOf(part.refusal);
    if (part.type === 'refusal' && refusal !== '') parts.push({ type: 'refusal', text: refusal });
    const text = textOf(part.text);
    if (part.type === 'output_text' && text !== '') parts.push({ type: 'text', text });
    for (const annotation of Array.isArray(part.annotations) ? part.annotations : []) parts.push(...citationOf(annotation));
  }
  return parts;
}

export function citationOf(annotation: unknown): ResponsePart[] {
  if (!isObject(annotation)) return [];
  const [url, title] = [textOf(annotation.url), textOf(annotation.title)];
  return url === '' ? [] : [{ type: 'citation', url, ...(title === '' ? {} : { title }) }];
}

function textsIn(parts: unknown): string[] {
  return (Array.isArray(parts) ? parts : [])
    .map((part: unknown) => (isObject(part) ? textOf(part.text) : ''))
    .filter((text) => text !== '');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
