// Seals: signatures of thinking and encrypted thinking, readable by one vendor's models only. Clients return them unchanged. A client's
// format has one field for all vendors, so foreign seals carry their origin in the text and are sent back to it only.

export type SealOrigin = 'claude' | 'openai' | 'gemini' | 'bedrock';

export interface Seal {
  readonly origin: SealOrigin;
  /** As the vendor wrote it. */
  readonly data: string;
  /** Id of the tool call that it signs, if stored separately. */
  readonly callId?: string;
}

const origins: readonly SealOrigin[] = ['claude', 'openai', 'gemini', 'bedrock'];
const mark = 'tidegate-seal:';
const marked = /^tidegate-seal:([a-z]+)(?:@([^:]*))?:/;

/** @param own origin whose seals are written without a prefix */
export function writeSeal({ origin, data, callId }: Seal, own: SealOrigin): string {
  if (origin === own && callId === undefined && !data.startsWith(mark)) return data;
  return `${mark}${origin}${callId === undefined ? '' : `@${encodeURIComponent(callId.toWellFormed())}`}:${data}`;
}

/** @param own origin of seals without a prefix */
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
