// Converts a chat completion with fields of Responses to a plain chat completion.
import { isObject } from '#server/framing/loose-json.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { nestedChoice, nestedTool } from './tools.ts';

/** @param most largest of its limits */
export function asChat(body: Body, most: number | undefined): Body {
  const { max_output_tokens: _output, max_completion_tokens: _completion, max_tokens: _tokens, reasoning, ...rest } = body;
  const { tools, tool_choice: choice, reasoning_effort: effort } = rest;
  const wished = isObject(reasoning) ? reasoning.effort : undefined;
  return {
    ...rest,
    ...(most === undefined ? {} : { max_completion_tokens: most }),
    ...(effort === undefined && wished !== undefined ? { reasoning_effort: wished } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(nestedTool) } : {}),
    ...(choice === undefined ? {} : { tool_choice: nestedChoice(choice) }),
  };
}
