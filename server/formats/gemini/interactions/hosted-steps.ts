// Writes hosted tool calls and their results as steps. https://ai.google.dev/api/interactions-api#Step
import type { HostedCallPart, HostedResultPart } from '../../parts.ts';

type Json = Record<string, unknown>;

/** Returns null if the format has no such step. */
export function writeHostedStep(part: HostedCallPart | HostedResultPart): Json | null {
  return part.type === 'hosted_call' ? writeCall(part) : writeResult(part);
}

function writeCall({ kind, id, input }: HostedCallPart): Json | null {
  if (kind === 'web_search') return { type: 'google_search_call', id, arguments: { queries: textsOf(input['query']) } };
  if (kind === 'web_fetch') return { type: 'url_context_call', id, arguments: { urls: textsOf(input['url']) } };
  if (kind !== 'code_execution' || typeof input['code'] !== 'string') return null;
  return { type: 'code_execution_call', id, arguments: { language: 'python', code: input['code'] } };
}

function writeResult({ kind, callId, sources, output, isError }: HostedResultPart): Json | null {
  const failed = isError ? { is_error: true } : {};
  // Annotations of the text report the results.
  if (kind === 'web_search') return { type: 'google_search_result', call_id: callId, result: [], ...failed };
  if (kind === 'web_fetch') {
    const status = isError ? 'error' : 'success';
    return { type: 'url_context_result', call_id: callId, result: sources.map(({ url }) => ({ url, status })), ...failed };
  }
  return kind === 'code_execution' ? { type: 'code_execution_result', call_id: callId, result: output ?? '', ...failed } : null;
}

function textsOf(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}
