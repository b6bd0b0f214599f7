// Signatures of calls for callers whose packages send back only the fields that they know: what a provider signed a call with is kept
// beside the caller, and found again by the call's id. Where the caller has sent a signature, that one counts.
import type { AssistantPart, ChatRequest, ResponsePart } from './parts.ts';
import type { Seal } from './seal.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

/** Of one caller. */
export interface SignatureMemory {
  /** @param callId as the provider gave it, or as it was made for a provider that gives none */
  note(callId: string, seal: Seal): void;
  /** Undefined: nothing is known, or nothing that is certain. */
  find(callId: string): Seal | undefined;
}

/** Of a response to that caller. */
export function noteSignature(part: ResponsePart, { signedCalls }: Pick<UpstreamDialect, 'signedCalls'>, memory?: SignatureMemory): void {
  if (part.type === 'tool_call' && part.seal !== undefined && part.seal.origin === signedCalls) memory?.note(part.id, part.seal);
}

/** The request with what its caller has left out. No signature stands in it twice, however often its call does. */
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
  // Some formats have the signature apart from its call.
  const apart = new Set(content.flatMap((part) => (part.type === 'sealed' && part.seal.callId !== undefined ? [part.seal.callId] : [])));
  return content.map((part) => {
    if (part.type !== 'tool_call' || part.seal !== undefined || apart.has(part.id)) return part;
    const seal = sealOf(part.id);
    return seal === undefined ? part : { ...part, seal };
  });
}
