// A caller's reranking in the words of a provider.
import { untranslatable } from '#server/dialects/losses.ts';
import type { Body } from '#server/dialects/strict-fields.ts';
import { textOf } from './documents.ts';
import type { RerankForm } from './rerank-parts.ts';

const title = { zh: '此提供商的重排序接口', en: "this provider's reranking" };

/** Null: it goes as it is. @throws {AppError} `untranslatable` for a document that is no text */
export function writeRequest(asked: Body, form: RerankForm): { body: Record<string, unknown>; dropped: readonly string[] } | null {
  const { textsOnly = false, saysReturn = false, rename = {}, fields } = form;
  // None at all is not what `top_n: 0` means.
  const hasNoTop = asked.top_n === 0;
  const isRenamed = Object.keys(rename).some((name) => asked[name] !== undefined);
  if (!textsOnly && !saysReturn && !hasNoTop && !isRenamed && fields === undefined) return null;
  const body: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(asked)) {
    const own = rename[name] ?? name;
    if (name === 'top_n' && hasNoTop) continue;
    if (fields !== undefined && !fields.includes(own)) dropped.push(name);
    else if (own === name || asked[own] === undefined) body[own] = value;
  }
  if (saysReturn) body.return_documents = asked.return_documents === true;
  if (textsOnly) {
    body.query = required(asked.query, 'query');
    const { documents } = asked;
    if (Array.isArray(documents)) body.documents = documents.map((document, index) => required(document, `documents.${index}`));
  }
  return { body, dropped };
}

function required(value: unknown, field: string): string {
  const text = textOf(value);
  if (text === undefined) throw untranslatable(field, title);
  return text;
}
