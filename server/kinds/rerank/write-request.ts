// Writes a caller's reranking in the provider's format.
import { untranslatable } from '#server/formats/losses.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { textOf } from './documents.ts';
import type { NestedFields, RerankFormat } from './rerank-parts.ts';

const title = { zh: '此提供商的重排序接口', en: "this provider's reranking" };

/**
 * Returns null if the request is forwarded unchanged.
 * @throws {AppError} `untranslatable` for a document that is no text
 */
export function writeRequest(requested: Body, form: RerankFormat): { body: Record<string, unknown>; dropped: readonly string[] } | null {
  const { textsOnly = false, objectsOnly = false, saysReturn = false, rename = {}, nested } = form;
  const fields = form.fields ?? (nested === undefined ? undefined : ['model', ...nested.input, ...nested.parameters]);
  // `top_n: 0` means no limit.
  const hasNoTop = requested.top_n === 0;
  const isRenamed = Object.keys(rename).some((name) => requested[name] !== undefined);
  if (!textsOnly && !saysReturn && !hasNoTop && !isRenamed && fields === undefined) return null;
  const body: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(requested)) {
    const own = rename[name] ?? name;
    if (name === 'top_n' && hasNoTop) continue;
    // Documents are added to the response here if the provider does not return them.
    const isAccepted = fields === undefined || fields.includes(own);
    if (!isAccepted && name !== 'return_documents') dropped.push(name);
    if (isAccepted && (own === name || requested[own] === undefined)) body[own] = value;
  }
  if (saysReturn) body.return_documents = requested.return_documents === true;
  if (textsOnly) {
    body.query = required(requested.query, 'query');
    const { documents } = requested;
    if (Array.isArray(documents)) body.documents = documents.map((document, index) => required(document, `documents.${index}`));
  }
  if (objectsOnly) {
    body.query = asObject(requested.query);
    if (Array.isArray(requested.documents)) body.documents = requested.documents.map(asObject);
  }
  return { body, dropped };
}

/** Nests the fields; the model and channel overrides stay at the top. */
export function nest(body: Body, { input, parameters }: NestedFields): Record<string, unknown> {
  const own: Record<string, unknown> = {};
  const inner: Record<'input' | 'parameters', Record<string, unknown>> = { input: {}, parameters: {} };
  for (const [name, value] of Object.entries(body)) {
    if (input.includes(name)) inner.input[name] = value;
    else if (parameters.includes(name)) inner.parameters[name] = value;
    else own[name] = value;
  }
  return { ...inner, ...own };
}

function asObject(part: unknown): unknown {
  return typeof part === 'string' ? { text: part } : part;
}

function required(value: unknown, field: string): string {
  const text = textOf(value);
  if (text === undefined) throw untranslatable(field, title);
  return text;
}
