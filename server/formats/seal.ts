// What only one vendor's models can read: signatures of thoughts, and thoughts that are encrypted. Clients send it back as they got it.
// A client's format has one place for it whoever wrote it, so what another vendor wrote carries its origin in the text: it goes back
// only to where it came from.

/** Whose models can read it. */
export type SealOrigin = 'claude' | 'openai' | 'gemini' | 'bedrock';

export interface Seal {
  readonly origin: SealOrigin;
  /** As the vendor wrote it. */
  readonly data: string;
  /** The call of a tool that it signs, where it stands apart from it. */
  readonly callId?: string;
}

const origins: readonly SealOrigin[] = ['claude', 'openai', 'gemini', 'bedrock'];
const mark = 'tidegate-seal:';
const marked = /^tidegate-seal:([a-z]+)(?:@([^:]*))?:/;

/** @param own the origin whose texts stand in the client's format as they are */
export function writeSeal({ origin, data, callId }: Seal, own: SealOrigin): string {
  if (origin === own && callId === undefined && !data.startsWith(mark)) return data;
  return `${mark}${origin}${callId === undefined ? '' : `@${encodeURIComponent(callId.toWellFormed())}`}:${data}`;
}

/** @param own the origin of texts that name none */
export function readSeal(text: string, own: SealOrigin): Seal {
  const [head = '', name, callId] = marked.exec(text) ?? [];
  const origin = origins.find((known) => known === name);
  if (origin === undefined) return { origin: own, data: text };
  return { origin, data: text.slice(head.length), ...(callId === undefined ? {} : { callId: decoded(callId) }) };
}

/** Callers may send anything. */
function decoded(callId: string): string {
  try {
    return decodeURIComponent(callId);
  } catch {
    return callId;
  }
}
