// What is said into the microphone, until it is stopped.

export interface Recording {
  /** Undefined: nothing was recorded. */
  stop(): Promise<File | undefined>;
  cancel(): void;
}

/** What it ends at by itself, in milliseconds: about as much as a file may hold. */
const longest = 20 * 60_000;

/** Undefined: there is no microphone, or it may not be used. */
export async function record(): Promise<Recording | undefined> {
  if (!('mediaDevices' in navigator) || !('MediaRecorder' in globalThis)) return undefined;
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch {
    return undefined;
  }
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  const ended = new Promise<void>((resolve) => {
    recorder.addEventListener('stop', () => resolve());
  });
  const end = (): void => {
    if (recorder.state !== 'inactive') recorder.stop();
    for (const track of stream.getTracks()) track.stop();
  };
  const timer = setTimeout(end, longest);
  recorder.start();
  return {
    cancel() {
      clearTimeout(timer);
      end();
    },
    async stop() {
      clearTimeout(timer);
      end();
      await ended;
      const type = recorder.mimeType.split(';', 1)[0] || 'audio/webm';
      const sound = new Blob(parts, { type });
      return sound.size === 0
        ? undefined
        : new File([sound], `recording.${type === 'audio/mp4' ? 'm4a' : (type.split('/')[1] ?? 'webm')}`, { type });
    },
  };
}
