// Stores and restores signatures of tool calls, for callers whose SDKs do not send them back: a provider's signature is stored
// per caller and found by the call's id. A signature that the caller sends takes precedence.
import type { AssistantPart, ChatRequest, ResponsePart } from './parts.ts';
import type { Seal } from './seal.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

/** Signatures of one caller. */
export interface SignatureMemory {
  /** @param callId id of the provider, or the one generated for its call */
  note(callId: string, seal: Seal): void;
  /** Returns the signature of a call; undefined if none is known for certain. */
  find(callId: string): Seal | undefined;
}

/** Stores a signature from a response to that caller. */
export function noteSignature(part: ResponsePart, { signedCalls }: Pick<UpstreamDialect, 'signedCalls'>, memory?: SignatureMemory): void {
  if (part.type === 'tool_call' && part.seal !== undefined && part.seal.origin === signedCalls) memory?.note(part.id, part.seal);
}

/** Restores signatures that the caller omitted; once each, even if a call is repeated. */
export function withKnownSignatures(
  request: ChatRequest,
  { signedCalls }: Pick<UpstreamDialect, 'signedCalls'>,
  memory?: SignatureMemory,
): ChatRequest {
  if (memory === undefined || signedCalls === undefined) return request;
  const signed = new Set<string>();
  const sealOf = (id: string): Seal | undefined => {
    if (signed.has(id)) return undefined;
    signed.add(id);
    const seal = memory.find(id);
    return seal?.origin === signedCalls ? seal : undefined;
  };
  const messages = request.messages.map((message) =>
    message.role === 'assistant' ? { ...message, content: signedParts(message.content, sealOf) } : message,
  );
  return { ...request, messages };
}

function signedParts(content: AssistantPart[], sealOf: (callId: string) => Seal | undefined): AssistantPart[] {
  // Some formats have the signature separate from its call.
  const apart = new Set(content.flatMap((part) => (part.type === 'sealed' && part.seal.callId !== undefined ? [part.seal.callId] : [])));
  return content.map((part) => {
    if (part.type !== 'tool_call' || part.seal !== undefined || apart.has(part.id)) return part;
    const seal = sealOf(part.id);
    return seal === undefined ? part : { ...part, seal };
  });
}
