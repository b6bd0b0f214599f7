import { videoNames } from '#shared/video-models.ts';

/** Kinds of request of the playground: chat, pictures, speech, transcription, or a video order. */
export type ModelKind = 'chat' | 'picture' | 'speech' | 'transcript' | 'video';
/** Kinds of request of API clients. */
export type CallableKind = ModelKind | 'completion' | 'embedding' | 'rerank' | 'moderation' | 'drawing' | 'music';

/** Models that need several steps or sound, or parameters that no single call has. */
const unasked = /realtime|(?:^|-)audio|^semantic_similarity|^mj_(?!imagine)|^swap_face/i;
/** Conversations that sound goes along with. https://platform.openai.com/docs/models/gpt-audio */
const hearing = /^gpt-(?:4o-(?:mini-)?)?audio|^qwen2?-audio/i;
/** Kinds by model names; the server has no list of what each model does. */
const kinds: readonly (readonly [CallableKind, RegExp])[] = [
  ['drawing', /^mj_imagine/i],
  ['music', /^suno/i],
  ['moderation', /moderation/i],
  ['rerank', /rerank/i],
  ['transcript', /whisper|transcri|sensevoice|(?:^|[-_/])asr/i],
  ['speech', /tts|cosyvoice|^speech-/i],
  ['video', videoNames],
  ['picture', /dall-e|image|flux|stable-diffusion|sdxl|seedream|cogview|kolors|^wanx|-t2i|^irag|instantid/i],
  ['embedding', /embed|bge-|^m3e|^embo-|jina-clip/i],
  ['completion', /davinci|babbage|^gpt-3\.5-turbo-instruct/i],
];
const ordered: ReadonlySet<CallableKind> = new Set<CallableKind>(['drawing', 'music', 'video']);
const playable: ReadonlySet<CallableKind> = new Set<ModelKind>(['chat', 'picture', 'speech', 'transcript', 'video']);

/** … and of models whose answers cost little and come soon. */
const small = /(?<!ge)mini|flash|nano|turbo|lite|small|haiku|chat/i;

/** Returns undefined if no single plain call fits the model. */
export function callableKind(model: string): CallableKind | undefined {
  if (unasked.test(model)) return undefined;
  return kinds.find(([, names]) => names.test(model))?.[0] ?? 'chat';
}

/** Returns undefined if the playground does not support the model. Chat models for audio input receive a recording made there. */
export function kindOfModel(model: string): ModelKind | undefined {
  if (hearing.test(model)) return 'chat';
  const kind = callableKind(model);
  return kind !== undefined && isPlayable(kind) ? kind : undefined;
}

/** Whether a call of the kind that the console itself makes (a first call, a test) can be answered by a model of that name. */
export function canChat(model: string): boolean {
  return callableKind(model) === 'chat';
}

export function isSmall(model: string): boolean {
  return small.test(model);
}

/** Of everything that the models make, nothing comes at once: they take orders of drawings, music and videos. */
export function onlyTakesOrders(models: readonly string[]): boolean {
  return models.length > 0 && models.every((model) => ordered.has(callableKind(model) ?? 'chat'));
}

function isPlayable(kind: CallableKind): kind is ModelKind {
  return playable.has(kind);
}
