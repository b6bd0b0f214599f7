// Removes the tools that the caller's tool choice does not allow, for formats without such a choice. This changes the start
// of the prompt and misses the provider's cache, but a forbidden tool call may do harm that cannot be undone.
import type { ChatRequest } from './parts.ts';

export function onlyAllowed(request: ChatRequest): ChatRequest {
  const { toolChoice: choice, tools } = request;
  if (choice === undefined || !('allowed' in choice) || choice.allowed === undefined) return request;
  const allowed = new Set(choice.allowed);
  return { ...request, tools: tools.filter(({ name }) => allowed.has(name)), toolChoice: { kind: choice.kind } };
}
