// Reads a Responses response into parts. Read loosely: unexpected values count as absent.
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import type { ResponsePart } from '../parts.ts';
import { readLogprobs } from '../token-logprobs.ts';
import { argumentsOfText } from '../text-tools.ts';
import { endingParts } from '../finish-reasons.ts';
import { readFinish } from './finish-reason.ts';
import { HostedRuns, readHostedItem } from './hosted-items.ts';
import { usageParts } from './token-usage.ts';

export function readWhole(body: Readonly<JsonObject>): readonly ResponsePart[] | null {
  if (!Array.isArray(body.output)) return null;
  const parts: ResponsePart[] = [startOf(body)];
  let calls = 0;
  const runs = new HostedRuns();
  let length = 0;
  for (const item of body.output) {
    if (!isObject(item)) continue;
    const call = callOf(item, calls);
    if (call !== null) {
      parts.push(call, { type: 'tool_arguments', index: calls, text: argumentsOf(item) });
      calls += 1;
    } else if (item.type === 'reasoning') parts.push(...thoughtsOf(item));
    else if (item.type === 'message') {
      const content = contentOf(item, length);
      for (const part of content) if (part.type === 'text') length += part.text.length;
      parts.push(...content);
    } else parts.push(...hostedOf(item, runs));
  }
  parts.push(...endingParts(readFinish(body, calls > 0)), ...usageParts(body));
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

/** Reads a run of a hosted tool. */
export function hostedOf(item: JsonObject, runs: HostedRuns): ResponsePart[] {
  const calls = runs.add(item);
  return [...(readHostedItem(item) ?? []), ...(calls === null ? [] : [{ type: 'hosted_usage' as const, calls }])];
}

/** Reads the start of a call of the caller's tools; null for other items. */
export function callOf(item: JsonObject, index: number): Extract<ResponsePart, { type: 'tool_call' }> | null {
  if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return null;
  return { type: 'tool_call', index, id: textOf(item.call_id) || textOf(item.id) || `call_${index}`, name: textOf(item.name) };
}

/** Returns the complete arguments; empty if they are streamed later. */
export function argumentsOf(item: JsonObject): string {
  if (item.type === 'custom_tool_call') return argumentsOfText(textOf(item.input));
  return isObject(item.arguments) ? JSON.stringify(item.arguments) : textOf(item.arguments);
}

function thoughtsOf(item: JsonObject): ResponsePart[] {
  const text = thoughtIn(item);
  const parts: ResponsePart[] = text === '' ? [] : [{ type: 'reasoning', text }];
  return [...parts, ...sealOf(item, text !== '')];
}

/** Returns the summary of the thinking, or, without one, the thinking itself. */
export function thoughtIn({ summary, content }: JsonObject): string {
  return textsIn(summary).join('\n\n') || textsIn(content).join('');
}

/**
 * Reads the seal of a reasoning item.
 * @param hasText whether the item's text was returned
 */
export function sealOf({ encrypted_content: encrypted }: JsonObject, hasText: boolean): ResponsePart[] {
  const data = textOf(encrypted);
  return data === '' ? [] : [{ type: hasText ? 'reasoning_seal' : 'sealed', seal: { origin: 'openai', data } }];
}

/**
 * Reads the content of a message.
 * @param before characters of earlier text
 */
export function contentOf({ content }: JsonObject, before: number): ResponsePart[] {
  const parts: ResponsePart[] = [];
  let offset = before;
  for (const part of Array.isArray(content) ? content : []) {
    if (!isObject(part)) continue;
    const refusal = textOf(part.refusal);
    if (part.type === 'refusal' && refusal !== '') parts.push({ type: 'refusal', text: refusal });
    const text = textOf(part.text);
    if (part.type === 'output_text' && text !== '') parts.push(...logprobsIn(part), { type: 'text', text });
    for (const annotation of Array.isArray(part.annotations) ? part.annotations : []) parts.push(...citationOf(annotation, offset));
    if (part.type === 'output_text') offset += text.length;
  }
  return parts;
}

/** Reads the log probabilities of a text or a delta. */
export function logprobsIn({ logprobs }: JsonObject): ResponsePart[] {
  const tokens = readLogprobs(logprobs);
  return tokens.length === 0 ? [] : [{ type: 'logprobs', tokens }];
}

/**
 * Reads an annotation as a citation.
 * @param offset characters of text before the annotated part
 */
export function citationOf(annotation: unknown, offset: number): ResponsePart[] {
  if (!isObject(annotation)) return [];
  const { start_index: start, end_index: end, index } = annotation;
  const title = textOf(annotation.title) || textOf(annotation.filename);
  const range = typeof start === 'number' && typeof end === 'number' ? { start: offset + start, end: offset + end } : {};
  const shared = { ...(title === '' ? {} : { title }), ...range };
  const url = textOf(annotation.url);
  if (url !== '') return [{ type: 'citation', url, ...shared }];
  if (annotation.type !== 'file_citation') return [];
  const document = typeof index === 'number' ? index : 0;
  return [{ type: 'document_citation', document, ...shared, origin: 'openai-responses', object: annotation }];
}

function textsIn(parts: unknown): string[] {
  return (Array.isArray(parts) ? parts : [])
    .map((part: unknown) => (isObject(part) ? textOf(part.text) : ''))
    .filter((text) => text !== '');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
