// Converts a Responses body with fields of chat completions to plain Responses.
import { isObject } from '#server/framing/loose-json.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { flatChoice, flatTool } from './tools.ts';

/** @param most largest of its limits */
export function asResponses(body: Body, most: number | undefined): Body {
  const { max_completion_tokens: _completion, max_tokens: _tokens, max_output_tokens: _output, n: _n, ...all } = body;
  const { reasoning_effort: effort, response_format: format, ...rest } = all;
  const { tools, tool_choice: choice, reasoning, text, input } = rest;
  return {
    ...rest,
    ...(most === undefined ? {} : { max_output_tokens: most }),
    ...(effort === undefined || effort === null ? {} : { reasoning: { effort, ...objectOf(reasoning) } }),
    ...(isObject(format) ? { text: { format: formatOf(format), ...objectOf(text) } } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(flatTool) } : {}),
    ...(choice === undefined ? {} : { tool_choice: flatChoice(choice) }),
    ...(Array.isArray(input) ? { input: input.flatMap(itemsOf) } : {}),
  };
}

function formatOf({ json_schema: schema, ...format }: Body): Body {
  return isObject(schema) ? { ...format, ...schema } : format;
}

/** Chat messages may be among the items: their calls and results become items. */
function itemsOf(item: unknown): unknown[] {
  if (!isObject(item)) return [item];
  if (item.role === 'tool') return [{ type: 'function_call_output', call_id: item.tool_call_id, output: item.content ?? '' }];
  if (!Array.isArray(item.tool_calls)) return [{ ...item, ...contentOf(item) }];
  const { tool_calls: calls, ...message } = item;
  const isSaid = Array.isArray(message.content)
    ? message.content.length > 0
    : typeof message.content === 'string' && message.content !== '';
  return [...(isSaid ? [{ ...message, ...contentOf(message) }] : []), ...calls.map(callOf)];
}

function callOf(call: unknown): unknown {
  if (!isObject(call)) return call;
  const { id, function: called, custom } = call;
  if (isObject(custom)) return { type: 'custom_tool_call', call_id: id, name: custom.name, input: custom.input };
  return isObject(called) ? { type: 'function_call', call_id: id, name: called.name, arguments: called.arguments } : call;
}

function contentOf({ content }: Body): Body {
  if (!Array.isArray(content) || !content.some(isChatImage)) return {};
  return { content: content.map((part: unknown) => (isChatImage(part) ? imageOf(part) : part)) };
}

function isChatImage(part: unknown): part is Body {
  return isObject(part) && part.type === 'image_url';
}

function imageOf({ image_url: image }: Body): Body {
  return isObject(image)
    ? { type: 'input_image', image_url: image.url, detail: image.detail ?? 'auto' }
    : { type: 'input_image', image_url: image };
}

function objectOf(value: unknown): Body {
  return isObject(value) ? value : {};
}
