// Files that go along with a question in a conversation: texts as they are, documents, and sound in one of the two forms that models take.
import type { AttachedFile } from '#pwa/offline/conversation.ts';

/** Bytes. Files are sent again with every further question, and stored on the device with the conversation. */
export const largestFile = 4_000_000;
/** Characters: about what the smaller models have room for. */
const longestText = 200_000;
/** Samples per second: models use no more. */
const soundRate = 16_000;
export const mostFiles = 4;

const named =
  /\.(?:txt|md|markdown|csv|tsv|json|jsonl|xml|ya?ml|toml|ini|log|sql|html?|css|jsx?|tsx?|py|rb|go|rs|java|kt|c|h|cpp|cs|php|sh|swift|tex)$/i;

/** Undefined: nothing that goes along, or too large. */
export async function readFile(file: File): Promise<AttachedFile | undefined> {
  const { name, type, size } = file;
  if (size === 0) return undefined;
  if (isSound(file)) return readSoundFile(file);
  if (size > largestFile) return undefined;
  if (type === 'application/pdf' || /\.pdf$/i.test(name)) return { name, kind: 'document', content: base64Of(await file.arrayBuffer()) };
  if (!type.startsWith('text/') && type !== 'application/json' && !named.test(name)) return undefined;
  const content = await file.text();
  return content.length > longestText || content.includes('\0') ? undefined : { name, kind: 'text', content };
}

export function isSound({ name, type }: File): boolean {
  return type.startsWith('audio/') || /\.(?:mp3|m4a|wav|ogg|opus|flac|aac)$/i.test(name);
}

/** By their names, as what they make. https://platform.openai.com/docs/guides/audio, https://ai.google.dev/gemini-api/docs/audio */
export function takesSound(model: string): boolean {
  return /(?:^|[-_])audio|gemini|omni|voxtral/i.test(model);
}

/** What is neither becomes a WAV file of one channel. */
async function readSoundFile(file: File): Promise<AttachedFile | undefined> {
  const { name, type } = file;
  const format = /^audio\/(?:x-|vnd\.)?wave?$/.test(type) ? 'wav' : type === 'audio/mpeg' || type === 'audio/mp3' ? 'mp3' : undefined;
  if (format !== undefined && file.size <= largestFile) return { name, kind: 'sound', format, content: base64Of(await file.arrayBuffer()) };
  if (file.size > 10 * largestFile) return undefined;
  try {
    const bytes = await file.arrayBuffer();
    // It is decoded at the rate of its context.
    const { duration, numberOfChannels, getChannelData } = await decode(bytes);
    if (duration * soundRate * 2 > largestFile || numberOfChannels === 0) return undefined;
    return { name, kind: 'sound', format: 'wav', content: base64Of(waveOf(getChannelData())) };
  } catch {
    return undefined;
  }
}

async function decode(bytes: ArrayBuffer) {
  const sound = await new OfflineAudioContext(1, 1, soundRate).decodeAudioData(bytes);
  const { duration, numberOfChannels } = sound;
  return { duration, numberOfChannels, getChannelData: () => sound.getChannelData(0) };
}

/** 16 bit, one channel. http://soundfile.sapp.org/doc/WaveFormat/ */
export function waveOf(samples: Float32Array): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(44 + samples.length * 2));
  const word = (place: number, letters: string): void => {
    for (const [index, letter] of [...letters].entries()) view.setUint8(place + index, letter.charCodeAt(0));
  };
  word(0, 'RIFF');
  view.setUint32(4, 36 + samples.length * 2, true);
  word(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, soundRate, true);
  view.setUint32(28, soundRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, 'data');
  view.setUint32(40, samples.length * 2, true);
  for (const [index, sample] of samples.entries()) {
    view.setInt16(44 + index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff), true);
  }
  return view.buffer;
}

/** In pieces: a call has only so many arguments. */
function base64Of(bytes: ArrayBuffer): string {
  const all = new Uint8Array(bytes);
  let text = '';
  for (let place = 0; place < all.length; place += 0x8000) text += String.fromCharCode(...all.subarray(place, place + 0x8000));
  return btoa(text);
}
