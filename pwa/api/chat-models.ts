/** Names of models that answer something else than a chat. The server keeps no list of what each one does. */
const notChat = /embed|bge-|^m3e|rerank|whisper|tts|dall-e|image|moderation|^mj_|davinci|babbage|suno|realtime|audio|instruct$/i;

/** … and of models whose answers cost little and come soon. */
const small = /mini|flash|nano|turbo|lite|small|haiku|chat/i;

/** Whether a call of the kind that the console itself makes (a first call, a test) can be answered by a model of that name. */
export function canChat(model: string): boolean {
  return !notChat.test(model);
}

export function isSmall(model: string): boolean {
  return small.test(model);
}
