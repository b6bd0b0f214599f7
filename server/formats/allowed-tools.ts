// Of several tools only some may be called. Where a format cannot say so the others are not told: that moves the prompt's beginning, and
// costs what a cache would have saved, but a call that was not allowed may do harm and cannot be taken back.
import type { ChatRequest } from './parts.ts';

export function onlyAllowed(request: ChatRequest): ChatRequest {
  const { toolChoice: choice, tools } = request;
  if (choice === undefined || !('allowed' in choice) || choice.allowed === undefined) return request;
  const allowed = new Set(choice.allowed);
  return { ...request, tools: tools.filter(({ name }) => allowed.has(name)), toolChoice: { kind: choice.kind } };
}
