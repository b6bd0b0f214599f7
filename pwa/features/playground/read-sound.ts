// Recordings that are to be written down.

export interface Sound {
  file: File;
  /** Undefined: the browser cannot read it; the provider may. */
  seconds: number | undefined;
}

/** Bytes that the usual providers take. */
export const largestSound = 25_000_000;
/** Milliseconds that a browser has for its length. */
const patience = 3000;

/** Undefined: it is no recording, or too large. */
export async function readSound(file: File): Promise<Sound | undefined> {
  const isSound = /^(?:audio|video)\//.test(file.type) || /\.(?:mp3|m4a|wav|webm|ogg|oga|opus|flac|aac|mp4|mpga|mpeg)$/i.test(file.name);
  if (!isSound || file.size === 0 || file.size > largestSound) return undefined;
  return { file, seconds: await lengthOf(file) };
}

function lengthOf(file: File): Promise<number | undefined> {
  const url = URL.createObjectURL(file);
  const sound = new Audio();
  return new Promise<number | undefined>((resolve) => {
    const done = (): void => resolve(Number.isFinite(sound.duration) && sound.duration > 0 ? sound.duration : undefined);
    sound.addEventListener('loadedmetadata', done);
    sound.addEventListener('error', done);
    setTimeout(done, patience);
    sound.preload = 'metadata';
    sound.src = url;
  }).finally(() => URL.revokeObjectURL(url));
}
