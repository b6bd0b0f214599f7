// What models with such names are made for, at a channel whose provider can do it. Nobody tells it otherwise.
import type { CallKindName } from '#server/kinds/call-kind.ts';
import { factsOf } from '#server/model-facts/find-facts.ts';
import type { PreparedChannel } from './prepared-channel.ts';

/** The first that fits. */
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

/** By the model that is asked there; undefined: its name tells nothing, or nothing that the provider does. */
export function kindOfModel(channel: Pick<PreparedChannel, 'provider' | 'modelMapping'>, model: string): CallKindName | undefined {
  const upstreamModel = channel.modelMapping.get(model) ?? model;
  const named = namedKinds.find(({ name, kind }) => name.test(upstreamModel) && hasKind(channel, kind))?.kind;
  if (named !== undefined) return named;
  const kind = modes[factsOf(upstreamModel)?.record.mode ?? ''];
  return kind !== undefined && hasKind(channel, kind) ? kind : undefined;
}

/** Of models whose names say nothing of it. Those that draw may be asked in conversations as well. */
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
