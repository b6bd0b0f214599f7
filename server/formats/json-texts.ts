// Texts of JSON in a request: arguments and results of tools. To the scan of its body each is one text; to whoever translates it a tree.
// They are counted against the body's budget of parts before a request is translated.
import { isObject } from '#server/framing/loose-json.ts';
import type { PartBudget } from '#server/framing/part-budget.ts';

type Body = Readonly<Record<string, unknown>>;

/** Where a format's requests have such texts; read loosely. */
export interface JsonTexts {
  /** Arguments of calls that stand in texts. */
  argumentsIn?(body: Body): Iterable<unknown>;
  /** Contents of results: a text, or a list of parts with texts. */
  resultsIn?(body: Body): Iterable<unknown>;
  /** Objects that others have as texts. */
  objectsIn?(body: Body): Iterable<unknown>;
}

/**
 * Takes from the budget what those texts are once they are parsed.
 * @param parsesResults the format that the request goes to has objects as results
 * @throws {AppError} `body_too_complex`, and as the budget's hold
 */
export function takeJsonTexts(budget: PartBudget, { argumentsIn, resultsIn }: JsonTexts, body: Body, parsesResults: boolean): void {
  for (const text of argumentsIn?.(body) ?? []) if (typeof text === 'string') budget.takeText(text);
  if (!parsesResults) return;
  for (const content of resultsIn?.(body) ?? []) {
    const text = textOf(content);
    // Everything else stays a text.
    if (isObjectText(text)) budget.takeText(text);
  }
}

/** The items of a list that are objects. */
export function* objectsIn(list: unknown): Iterable<Body> {
  if (!Array.isArray(list)) return;
  for (const item of list) if (isObject(item)) yield item;
}

function isObjectText(text: string): boolean {
  return text.charCodeAt(0) === 0x7b || /^\s*\{/.test(text);
}

/** As those who parse it put it together. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  for (const { text } of objectsIn(content)) if (typeof text === 'string') texts.push(text);
  return texts.join('\n');
}
