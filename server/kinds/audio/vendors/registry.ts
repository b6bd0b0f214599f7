// Forms of speech by the name that a provider's record has for them.
import type { SpeechForm } from '../speech-format.ts';
import { dashscope } from './dashscope.ts';
import { google } from './google.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { volc } from './volc.ts';
import { zhipu } from './zhipu.ts';

const speechForms: Readonly<Record<string, SpeechForm>> = { dashscope, google, minimax, mistral, volc, zhipu };

/** Null: the provider is asked as OpenAI is. */
export function speechFormOf(name: string | undefined): SpeechForm | null {
  return name !== undefined && Object.hasOwn(speechForms, name) ? (speechForms[name] ?? null) : null;
}
