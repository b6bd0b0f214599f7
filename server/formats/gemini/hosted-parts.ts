// Writes hosted tool calls and their results as parts of a content.
import type { HostedCallPart, HostedResultPart } from '../parts.ts';

/** Returns no parts for a tool that the format cannot express. */
export function writeHosted(part: HostedCallPart | HostedResultPart): Record<string, unknown>[] {
  if (part.origin === 'gemini') return Object.keys(part.object).length === 0 ? [] : [{ ...part.object }];
  if (part.kind !== 'code_execution') return [];
  if (part.type === 'hosted_call') {
    const { code } = part.input;
    return typeof code === 'string' ? [{ executableCode: { id: part.id, language: 'PYTHON', code } }] : [];
  }
  const outcome = part.isError ? 'OUTCOME_FAILED' : 'OUTCOME_OK';
  return [{ codeExecutionResult: { id: part.callId, outcome, output: part.output ?? '' } }];
}
