// Output and usage of a workflow run. https://docs.dify.ai/en/api-reference/workflow-runs/run-workflow
import { isObject } from '#server/framing/loose-json.ts';
import type { ResponsePart, UpstreamErrorObject } from '../parts.ts';
import { mainUsage, tokenCount, withBilled } from '../token-usage.ts';

type Body = Readonly<Record<string, unknown>>;

/** Tokens reported by the models of a run, node by node. */
export interface NodeTokens {
  input: number;
  output: number;
}

/** Common names of the answer among several outputs. */
const usual = ['answer', 'text', 'result', 'output'];

/** Returns the only output, the one with a common name, or all of them as JSON. */
export function textOfOutputs(outputs: unknown): string {
  if (!isObject(outputs)) return '';
  const all = Object.entries(outputs);
  const [only] = all;
  const found =
    all.length === 1 ? only?.[1] : usual.map((name) => outputs[name]).find((value) => typeof value === 'string' && value !== '');
  if (typeof found === 'string') return found;
  return all.length === 0 ? '' : JSON.stringify(all.length === 1 ? found : outputs);
}

/** Returns null if the run ended normally. */
export function failureOfRun(
  { status, error, total_tokens: total }: Body,
  nodes: NodeTokens = { input: 0, output: 0 },
): UpstreamErrorObject | null {
  if (status !== 'failed' && status !== 'paused') return null;
  const message = typeof error === 'string' && error !== '' ? error : 'the workflow has not come to an end';
  return withBilled({ message, type: 'dify_error', code: null, status: 500 }, usageOfRun(total, nodes, ''));
}

/**
 * Node types that call models. The `usage` of other nodes is a variable passed on, usually from such a node.
 * https://docs.dify.ai/en/guides/workflow/node/llm (its output variable `usage`)
 */
const requesting: ReadonlySet<unknown> = new Set(['llm', 'agent', 'question-classifier', 'parameter-extractor', 'knowledge-retrieval']);

/** Adds the tokens of an event that ends a node. */
export function addNode(sum: NodeTokens, data: Body): void {
  const { outputs, process_data: process, node_type: type } = data;
  if (!requesting.has(type)) return;
  const reported = [outputs, process].map((part) => (isObject(part) ? part['usage'] : undefined)).find(isObject);
  if (reported === undefined) return;
  sum.input += tokenCount(reported['prompt_tokens']) ?? 0;
  sum.output += tokenCount(reported['completion_tokens']) ?? 0;
}

/**
 * Splits the run's total, its only usage: output is what its nodes reported, or an estimate from the text; the rest is input. Returns
 * nothing without a total: all is counted then.
 */
export function usageOfRun(total: unknown, { input, output }: NodeTokens, text: string): readonly ResponsePart[] {
  const sum = Math.max(tokenCount(total) ?? 0, input + output);
  if (sum === 0) return [];
  const written = input + output > 0 ? output : Math.min(sum - 1, roughTokens(text));
  return mainUsage({ input: sum - written, output: written });
}

/** Four letters are a token; a Chinese character is one. */
function roughTokens(text: string): number {
  let quarters = 0;
  for (const character of text) quarters += (character.codePointAt(0) ?? 0) >= 0x2e80 ? 4 : 1;
  return Math.ceil(quarters / 4);
}
