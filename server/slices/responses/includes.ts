// Removes members of a retrieved response that its reader did not `include`. Members that the original request did not
// include are absent anyway. https://platform.openai.com/docs/api-reference/responses/get
import { fieldRules } from '#shared/field-rules.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { Json } from './present-response.ts';

/** Functions that remove a member from an item, by its name in the query; null if no output item contains it. */
const without: Readonly<Record<string, ((item: Json) => Json) | null>> = {
  'reasoning.encrypted_content': (item) => emptied(item, 'reasoning', 'encrypted_content'),
  'message.output_text.logprobs': withoutLogprobs,
  'code_interpreter_call.outputs': (item) => emptied(item, 'code_interpreter_call', 'outputs'),
  'file_search_call.results': (item) => emptied(item, 'file_search_call', 'results'),
  'web_search_call.results': (item) => emptied(item, 'web_search_call', 'results'),
  'web_search_call.action.sources': withoutSources,
  'message.input_image.image_url': null,
  'computer_call_output.output.image_url': null,
};

/** @throws {AppError} `invalid_request` for unknown names */
export function readIncludes(query: URLSearchParams): ReadonlySet<string> {
  // Client libraries write lists with brackets.
  const wanted = [...query.getAll('include'), ...query.getAll('include[]')];
  if (!wanted.every((name) => Object.hasOwn(without, name))) throw badField('include', fieldRules.oneOf(Object.keys(without)));
  return new Set(wanted);
}

export function withIncludes(response: Json, wanted: ReadonlySet<string>): Json {
  const { output } = response;
  if (!Array.isArray(output)) return response;
  return { ...response, output: output.map((item: unknown) => (isObject(item) ? itemWith(item, wanted) : item)) };
}

/** Removes the same members from a stream event: from its response, item, part or text delta. */
export function eventWithIncludes(event: Json, wanted: ReadonlySet<string>): Json {
  const { response, item, part } = event;
  const hidesLogprobs = !wanted.has('message.output_text.logprobs');
  return {
    ...event,
    ...(isObject(response) ? { response: withIncludes(response, wanted) } : {}),
    ...(isObject(item) ? { item: itemWith(item, wanted) } : {}),
    ...(hidesLogprobs && isObject(part) ? { part: withoutLogprobsIn(part) } : {}),
    ...(hidesLogprobs && Array.isArray(event['logprobs']) ? { logprobs: [] } : {}),
  };
}

function itemWith(item: Json, wanted: ReadonlySet<string>): Json {
  const edits = Object.entries(without).flatMap(([name, edit]) => (edit === null || wanted.has(name) ? [] : [edit]));
  return edits.reduce((left, edit) => edit(left), item);
}

function emptied(item: Json, type: string, field: string): Json {
  return item['type'] === type && (item[field] ?? null) !== null ? { ...item, [field]: null } : item;
}

function withoutLogprobs(item: Json): Json {
  const { type, content } = item;
  if (type !== 'message' || !Array.isArray(content)) return item;
  return {
    ...item,
    content: content.map((part: unknown) => (isObject(part) ? withoutLogprobsIn(part) : part)),
  };
}

function withoutLogprobsIn(part: Json): Json {
  return Array.isArray(part['logprobs']) ? { ...part, logprobs: [] } : part;
}

function withoutSources(item: Json): Json {
  const { type, action } = item;
  if (type !== 'web_search_call' || !isObject(action)) return item;
  const { sources: _sources, ...rest } = action;
  return { ...item, action: rest };
}
