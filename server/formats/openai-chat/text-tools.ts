// Tools of this format that are called with a free text.
import { isObject } from '#server/framing/loose-json.ts';
import { textOfArguments } from '../text-tools.ts';

type Body = Readonly<Record<string, unknown>>;

/** How a call of such a tool is told: as this format does, or within a `function`, for callers who look nowhere else. */
export type TextToolMapping = 'custom' | 'function';

/** Read loosely. */
export function textToolNames({ tools }: Body): string[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown) => {
    if (!isObject(tool) || tool.type !== 'custom' || !isObject(tool.custom)) return [];
    return typeof tool.custom.name === 'string' ? [tool.custom.name] : [];
  });
}

/** What the writer of a response is told of the tools of its request. */
export function responseFields(body: Body): Body {
  const names = textToolNames(body);
  return names.length === 0 ? none : { text_tools: Object.fromEntries(names.map((name) => [name, 'custom'])) };
}

const none: Body = {};

/** Undefined: it is called with JSON. */
export function textToolMapping(requested: Body | undefined, name: string): TextToolMapping | undefined {
  const forms = requested?.['text_tools'];
  const form = isObject(forms) && Object.hasOwn(forms, name) ? forms[name] : undefined;
  return form === 'custom' || form === 'function' ? form : undefined;
}

/** What a call says beside its id. @param json its arguments as the model wrote them */
export function calledIn(
  { name, arguments: json }: { name: string; arguments: string },
  requested: Body | undefined,
): Record<string, unknown> {
  const form = textToolMapping(requested, name);
  if (form === undefined) return { type: 'function', function: { name, arguments: json === '' ? '{}' : json } };
  return calledWith({ form, name, text: textOfArguments(json) });
}

/** @param text all of what it is called with, or its beginning */
export function calledWith({ form, name, text }: { form: TextToolMapping; name: string; text: string }): Record<string, unknown> {
  return form === 'custom' ? { type: form, custom: { name, input: text } } : { type: form, function: { name, arguments: text } };
}

export function textDeltaOf(form: TextToolMapping, text: string): Record<string, unknown> {
  return form === 'custom' ? { custom: { input: text } } : { function: { arguments: text } };
}
