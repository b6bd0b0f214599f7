// What is said into the microphone, until it is stopped.

export interface Recording {
  /** Undefined: nothing was recorded. */
  stop(): Promise<File | undefined>;
  cancel(): void;
}

/** What it ends at by itself, in milliseconds: about as much as a file may hold. */
const longest = 20 * 60_000;

/** `refused`: the user, or the browser's settings, do not allow this page to record; `insecure`: pages without TLS never may. */
export type NoRecording = 'refused' | 'missing' | 'insecure';

export async function record(): Promise<Recording | NoRecording> {
  if (!globalThis.isSecureContext) return 'insecure';
  if (!('mediaDevices' in navigator) || !('MediaRecorder' in globalThis)) return 'missing';
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (failure) {
    // https://developer.mozilla.org/docs/Web/API/MediaDevices/getUserMedia#exceptions
    return failure instanceof DOMException && failure.name === 'NotAllowedError' ? 'refused' : 'missing';
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
