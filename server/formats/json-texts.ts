// Counts JSON in texts of a request (tool arguments and results) against the part budget. The body scan counts each as one
// text, but translation parses it.
import { isObject } from '#server/framing/loose-json.ts';
import type { PartBudget } from '#server/framing/part-budget.ts';

type Body = Readonly<Record<string, unknown>>;

/** Locations of JSON in the texts of a format's requests, read loosely. */
export interface JsonTexts {
  /** Tool arguments in texts. */
  argumentsIn?(body: Body): Iterable<unknown>;
  /** Tool results: a text, or a list of parts with texts. */
  resultsIn?(body: Body): Iterable<unknown>;
  /** Objects that other formats encode as text. */
  objectsIn?(body: Body): Iterable<unknown>;
}

/**
 * Charges the budget with the parsed size of those texts.
 * @param parsesResults whether the upstream format has results as objects
 * @throws {AppError} `body_too_complex`, or an error of the budget's hold
 */
export function takeJsonTexts(budget: PartBudget, { argumentsIn, resultsIn }: JsonTexts, body: Body, parsesResults: boolean): void {
  for (const text of argumentsIn?.(body) ?? []) if (typeof text === 'string') budget.takeText(text);
  if (!parsesResults) return;
  for (const content of resultsIn?.(body) ?? []) {
    const text = textOf(content);
    // Other texts are not parsed.
    if (isObjectText(text)) budget.takeText(text);
  }
}

export function* objectsIn(list: unknown): Iterable<Body> {
  if (!Array.isArray(list)) return;
  for (const item of list) if (isObject(item)) yield item;
}

function isObjectText(text: string): boolean {
  return text.charCodeAt(0) === 0x7b || /^\s*\{/.test(text);
}

/** Joins parts as translation does. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  for (const { text } of objectsIn(content)) if (typeof text === 'string') texts.push(text);
  return texts.join('\n');
}
