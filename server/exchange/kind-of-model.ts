// Guesses the kind of calls that a model serves at a channel, from its name.
import type { CallKindName } from '#server/kinds/call-kind.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { PreparedChannel } from './prepared-channel.ts';

/** Kinds by patterns of names; the first match wins. */
const namedKinds: readonly { name: RegExp; kind: CallKindName }[] = [
  { name: /realtime/i, kind: 'realtime' },
  { name: /moderation/i, kind: 'moderations' },
  { name: /rerank/i, kind: 'rerank' },
  {
    name: /dall-e|gpt-image|cogview|grok-.*image|kolors|flux|stable-diffusion|imagen|qwen-image|z-image|seedream|^wanx|-t2i|^irag|^image-01/i,
    kind: 'images',
  },
  { name: /whisper|transcribe|sensevoice|telespeechasr|^glm-asr/i, kind: 'transcriptions' },
  { name: /(?:^|[-/])tts|playai|cosyvoice|^speech-\d/i, kind: 'speech' },
  { name: /embed|bge-|^m3e|^embo-/i, kind: 'embeddings' },
];

/** Uses the upstream model name; returns undefined if the name implies nothing, or nothing that the provider supports. */
export function kindOfModel(channel: Pick<PreparedChannel, 'provider' | 'modelMapping'>, model: string): CallKindName | undefined {
  const upstreamModel = channel.modelMapping.get(model) ?? model;
  const named = namedKinds.find(({ name, kind }) => name.test(upstreamModel) && hasKind(channel, kind))?.kind;
  if (named !== undefined) return named;
  const kind = modes[factsOf(upstreamModel)?.record.mode ?? ''];
  return kind !== undefined && hasKind(channel, kind) ? kind : undefined;
}

/** Kinds of models whose names imply none. Image models may also serve chat. */
const modes: Readonly<Record<string, CallKindName>> = {
  embedding: 'embeddings',
  rerank: 'rerank',
  moderation: 'moderations',
  realtime: 'realtime',
  audio_transcription: 'transcriptions',
  audio_speech: 'speech',
};

export function hasKind({ provider }: Pick<PreparedChannel, 'provider'>, kind: CallKindName): boolean {
  return Object.values(provider?.formats ?? {}).some(({ paths }) => paths[kind] !== undefined);
}
