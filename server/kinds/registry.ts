// Every kind of call.
import { speech } from './audio/speech.ts';
import { transcriptions, translations } from './audio/transcripts.ts';
import { chat } from './chat.ts';
import { completions } from './completions.ts';
import { countTokens } from './count-tokens.ts';
import { embeddings } from './embeddings/embeddings.ts';
import { fim } from './fim.ts';
import { imageEdits, images, imageVariations } from './images/images.ts';
import { moderations } from './moderations/moderations.ts';
import { realtime } from './realtime/realtime.ts';
import { rerank } from './rerank/rerank.ts';
import type { CallKind, CallKindName } from './call-kind.ts';

export const callKinds: Readonly<Record<CallKindName, CallKind>> = {
  chat,
  completions,
  count_tokens: countTokens,
  embeddings,
  fim,
  images,
  image_edits: imageEdits,
  image_variations: imageVariations,
  moderations,
  realtime,
  rerank,
  speech,
  transcriptions,
  translations,
};
