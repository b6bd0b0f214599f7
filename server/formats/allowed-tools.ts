// Restricts a request to the tools that its caller allows. For formats without such a choice the other tools are removed: this changes
// the start of the prompt and misses the provider's cache, but a forbidden tool call may do harm and cannot be undone.
import type { ChatRequest } from './parts.ts';

export function onlyAllowed(request: ChatRequest): ChatRequest {
  const { toolChoice: choice, tools } = request;
  if (choice === undefined || !('allowed' in choice) || choice.allowed === undefined) return request;
  const allowed = new Set(choice.allowed);
  return { ...request, tools: tools.filter(({ name }) => allowed.has(name)), toolChoice: { kind: choice.kind } };
}
