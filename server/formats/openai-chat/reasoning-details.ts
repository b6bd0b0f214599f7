// `reasoning_details`: gateways' field for signed and encrypted thinking in this format, with the vendor in `format`.
// https://openrouter.ai/docs/use-cases/reasoning-tokens
import { isObject } from '#server/framing/loose-json.ts';
import { readSeal, type Seal, type SealOrigin } from '../seal.ts';
import { callIds } from './call-ids.ts';

type Json = Record<string, unknown>;

const formats: Readonly<Record<SealOrigin, string>> = {
  claude: 'anthropic-claude-v1',
  openai: 'openai-responses-v1',
  gemini: 'google-gemini-v1',
  bedrock: 'amazon-bedrock-v1',
};

/** Returns the seal of a detail. Without a known format it counts as Claude's, as most are. */
export function sealOfDetail(data: string, { format, id }: Readonly<Record<string, unknown>>): Seal {
  if (format === formats.openai) return { origin: 'openai', data };
  if (format === formats.bedrock) return { origin: 'bedrock', data };
  // Details of calls contain the call's id.
  if (format === formats.gemini) return { origin: 'gemini', data, ...(typeof id === 'string' ? { callId: callIds.read(id) } : {}) };
  return readSeal(data, 'claude');
}

export function textDetail(text: string, seal?: Seal): Record<string, unknown> {
  return { type: 'reasoning.text', text, ...(seal === undefined ? {} : { signature: seal.data, format: formats[seal.origin] }) };
}

export function encryptedDetail({ origin, data, callId }: Seal): Record<string, unknown> {
  return { type: 'reasoning.encrypted', data, format: formats[origin], ...(callId === undefined ? {} : { id: callIds.write(callId) }) };
}

/** Location of call signatures at Google's OpenAI-compatible service. https://ai.google.dev/gemini-api/docs/thought-signatures */
export function signatureField(seal: Seal | undefined): Record<string, unknown> {
  return seal?.origin === 'gemini' ? { extra_content: { google: { thought_signature: seal.data } } } : {};
}

export function readSignatureField({ extra_content: extra }: Readonly<Record<string, unknown>>): Seal | undefined {
  const google = isObject(extra) && isObject(extra.google) ? extra.google : {};
  const { thought_signature: data } = google;
  return typeof data === 'string' && data !== '' ? { origin: 'gemini', data } : undefined;
}

export function addThought(details: Json[], text: string): void {
  const last = details.at(-1);
  if (last?.['type'] === 'reasoning.text' && last['signature'] === undefined) last['text'] = `${String(last['text'])}${text}`;
  else details.push(textDetail(text));
}

/** Models with hidden thinking sign an empty text. */
export function signThought(details: Json[], seal: Seal): void {
  const last = details.at(-1);
  if (last?.['type'] === 'reasoning.text' && last['signature'] === undefined) Object.assign(last, textDetail(String(last['text']), seal));
  else details.push(textDetail('', seal));
}
