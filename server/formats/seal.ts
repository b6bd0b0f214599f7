// Reads and writes seals: signatures of thinking, or encrypted thinking, that only one vendor's models can read. Clients return
// them unchanged. A client's format has one field for all vendors, so a foreign seal contains its origin and is sent back
// only there.

export type SealOrigin = 'claude' | 'openai' | 'gemini' | 'bedrock';

export interface Seal {
  readonly origin: SealOrigin;
  /** Seal as the vendor wrote it. */
  readonly data: string;
  /** Id of the tool call that the seal signs, if it is separate from the call. */
  readonly callId?: string;
}

const origins: readonly SealOrigin[] = ['claude', 'openai', 'gemini', 'bedrock'];
const mark = 'tidegate-seal:';
const marked = /^tidegate-seal:([a-z]+)(?:@([^:]*))?:/;

/** @param own origin whose seals have no prefix in the format */
export function writeSeal({ origin, data, callId }: Seal, own: SealOrigin): string {
  if (origin === own && callId === undefined && !data.startsWith(mark)) return data;
  return `${mark}${origin}${callId === undefined ? '' : `@${encodeURIComponent(callId.toWellFormed())}`}:${data}`;
}

/** @param own origin whose seals have no prefix in the format */
export function readSeal(text: string, own: SealOrigin): Seal {
  const [head = '', name, callId] = marked.exec(text) ?? [];
  const origin = origins.find((known) => known === name);
  if (origin === undefined) return { origin: own, data: text };
  return { origin, data: text.slice(head.length), ...(callId === undefined ? {} : { callId: decoded(callId) }) };
}

/** Tolerates invalid input from callers. */
function decoded(callId: string): string {
  try {
    return decodeURIComponent(callId);
  } catch {
    return callId;
  }
}
