// Forms of speech by the name that a provider's record has for them.
import type { SpeechFormat } from '../speech-format.ts';
import { dashscope } from './dashscope.ts';
import { google } from './google.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { volc } from './volc.ts';
import { zhipu } from './zhipu.ts';

const speechFormats: Readonly<Record<string, SpeechFormat>> = { dashscope, google, minimax, mistral, volc, zhipu };

/** Null: the provider is asked as OpenAI is. */
export function speechFormatOf(name: string | undefined): SpeechFormat | null {
  return name !== undefined && Object.hasOwn(speechFormats, name) ? (speechFormats[name] ?? null) : null;
}
