// Free text tools of this format.
import { isObject } from '#server/framing/loose-json.ts';
import { textOfArguments } from '../text-tools.ts';

type Body = Readonly<Record<string, unknown>>;

/** Form of such a call in responses: `custom`, or `function` for callers that support no other. */
export type TextToolMapping = 'custom' | 'function';

/** Returns the names of free text tools in a body that is not validated. */
export function textToolNames({ tools }: Body): string[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown) => {
    if (!isObject(tool) || tool.type !== 'custom' || !isObject(tool.custom)) return [];
    return typeof tool.custom.name === 'string' ? [tool.custom.name] : [];
  });
}

/** Facts about the request's tools for the response writer. */
export function responseFields(body: Body): Body {
  const names = body['tools'] === undefined ? noNames : textToolNames(body);
  return names.length === 0 ? none : { text_tools: Object.fromEntries(names.map((name) => [name, 'custom'])) };
}

const none: Body = {};
const noNames: readonly string[] = [];

/** Returns the form of the calls of a free text tool; undefined if the tool takes JSON. */
export function textToolMapping(requested: Body | undefined, name: string): TextToolMapping | undefined {
  const forms = requested?.['text_tools'];
  const form = isObject(forms) && Object.hasOwn(forms, name) ? forms[name] : undefined;
  return form === 'custom' || form === 'function' ? form : undefined;
}

/** Returns the fields of a call except its id. @param json arguments as the model wrote them */
export function calledIn(
  { name, arguments: json }: { name: string; arguments: string },
  requested: Body | undefined,
): Record<string, unknown> {
  const form = textToolMapping(requested, name);
  if (form === undefined) return { type: 'function', function: { name, arguments: json === '' ? '{}' : json } };
  return calledWith({ form, name, text: textOfArguments(json) });
}

/** @param text the whole input or its beginning */
export function calledWith({ form, name, text }: { form: TextToolMapping; name: string; text: string }): Record<string, unknown> {
  return form === 'custom' ? { type: form, custom: { name, input: text } } : { type: form, function: { name, arguments: text } };
}

export function textDeltaOf(form: TextToolMapping, text: string): Record<string, unknown> {
  return form === 'custom' ? { custom: { input: text } } : { function: { arguments: text } };
}
