/** What is asked of a model: an answer in words, pictures, speech, or what was said in a recording. */
export type ModelKind = 'chat' | 'picture' | 'speech' | 'transcript';

/** By their names; the server keeps no list of what each model does. */
const kinds: readonly (readonly [ModelKind, RegExp])[] = [
  ['transcript', /whisper|transcri|sensevoice|(?:^|[-_/])asr/i],
  ['speech', /tts|cosyvoice|^speech-/i],
  ['picture', /dall-e|image|flux|stable-diffusion|sdxl|seedream|cogview|kolors|^wanx|-t2i|^irag/i],
];
const neither = /embed|bge-|^m3e|rerank|tts|image|moderation|^mj_|davinci|babbage|suno|realtime|audio|instruct$/i;

/** … and of models whose answers cost little and come soon. */
const small = /mini|flash|nano|turbo|lite|small|haiku|chat/i;

/** Undefined: something that the console itself does not ask for. */
export function kindOfModel(model: string): ModelKind | undefined {
  if (/realtime/i.test(model)) return undefined;
  return kinds.find(([, names]) => names.test(model))?.[0] ?? (neither.test(model) ? undefined : 'chat');
}

/** Whether a call of the kind that the console itself makes (a first call, a test) can be answered by a model of that name. */
export function canChat(model: string): boolean {
  return kindOfModel(model) === 'chat';
}

export function isSmall(model: string): boolean {
  return small.test(model);
}
