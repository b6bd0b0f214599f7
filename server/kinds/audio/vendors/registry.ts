// Speech formats by the name in a provider's record.
import type { SpeechFormat } from '../speech-format.ts';
import { dashscope } from './dashscope.ts';
import { google } from './google.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { volc } from './volc.ts';
import { zhipu } from './zhipu.ts';

const speechFormats: Readonly<Record<string, SpeechFormat>> = { dashscope, google, minimax, mistral, volc, zhipu };

/** Returns null if the provider takes OpenAI's requests. */
export function speechFormatOf(name: string | undefined): SpeechFormat | null {
  return name !== undefined && Object.hasOwn(speechFormats, name) ? (speechFormats[name] ?? null) : null;
}
