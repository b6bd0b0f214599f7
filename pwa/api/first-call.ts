// The guide's own call, as a program would make it: with a key instead of the session.
import { z } from 'zod/mini';
import { atBase } from '#pwa/ui/base-path.ts';
import type { CallableKind } from './chat-models.ts';

export interface FirstCall {
  /** From the server's root. */
  path: string;
  /** Body apart from the model. Missing: music and drawings have none. */
  body: Record<string, unknown>;
  /** Goes as a form, with a recording in it. */
  hasRecording?: boolean;
  /** Its path says what is made, no field of its body. */
  isModelOmitted?: boolean;
}

/** Example requests for each kind of model: the least that shows whether it works. */
export const firstCalls: Readonly<Record<CallableKind, FirstCall>> = {
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Say hello.' }] } },
  completion: { path: '/v1/completions', body: { prompt: 'The tide turns at', max_tokens: 16 } },
  picture: { path: '/v1/images/generations', body: { prompt: 'A lighthouse at dawn' } },
  speech: { path: '/v1/audio/speech', body: { voice: 'alloy', input: 'The tide comes in.' } },
  transcript: { path: '/v1/audio/transcriptions', body: {}, hasRecording: true },
  embedding: { path: '/v1/embeddings', body: { input: 'The tide comes in.' } },
  rerank: {
    path: '/v1/rerank',
    body: { query: 'When is high water?', documents: ['The tide comes in at noon.', 'The harbour has two piers.'] },
  },
  moderation: { path: '/v1/moderations', body: { input: 'The tide comes in.' } },
  video: { path: '/v1/videos', body: { prompt: 'Waves around a lighthouse' } },
  drawing: { path: '/mj/submit/imagine', body: { prompt: 'A lighthouse at dawn' }, isModelOmitted: true },
  music: { path: '/suno/submit/MUSIC', body: { gpt_description_prompt: 'A calm song about the tide' }, isModelOmitted: true },
};

/** Lyrics are music's; they have a path of their own, and another field. */
const lyrics: FirstCall = { path: '/suno/submit/LYRICS', body: { prompt: 'A calm song about the tide' }, isModelOmitted: true };

export function firstCallOf(kind: CallableKind, model: string): FirstCall {
  return kind === 'music' && /lyrics/i.test(model) ? lyrics : firstCalls[kind];
}

/** Refusal of a call: HTTP status and the text that the server gives callers. */
export interface FirstRefusal {
  status: number;
  message: string;
}

/**
 * Sends the call and returns what it was refused with; undefined: it was answered.
 * @throws when no answer came
 */
export async function sendFirstCall({
  key,
  kind,
  model,
}: {
  key: string;
  kind: CallableKind;
  model: string;
}): Promise<FirstRefusal | undefined> {
  const { path, body, hasRecording, isModelOmitted } = firstCallOf(kind, model);
  const sent = isModelOmitted === true ? body : { model, ...body };
  const response = await fetch(atBase(path), {
    method: 'POST',
    headers: { ...(hasRecording === true ? {} : { 'Content-Type': 'application/json' }), Authorization: `Bearer ${key}` },
    body: hasRecording === true ? formOf(model) : JSON.stringify(sent),
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(kind === 'picture' ? 185_000 : 65_000),
  });
  const bytes = await response.arrayBuffer();
  return response.ok ? undefined : { status: response.status, message: messageOf(bytes) };
}

const Failed = z.object({ error: z.object({ message: z.string() }) });

/** Of an error in the form that all these paths have; '' for anything else. */
function messageOf(bytes: ArrayBuffer): string {
  try {
    return Failed.parse(JSON.parse(new TextDecoder().decode(bytes))).error.message;
  } catch {
    return '';
  }
}

function formOf(model: string): FormData {
  const form = new FormData();
  form.append('model', model);
  form.append('file', new File([silence()], 'recording.wav', { type: 'audio/wav' }));
  return form;
}

const rate = 8_000;

/** A second of it: 16 bits, one channel. http://soundfile.sapp.org/doc/WaveFormat/ */
function silence(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + 2 * rate);
  const view = new DataView(bytes.buffer);
  const write = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  write(0, 'RIFF');
  view.setUint32(4, 36 + 2 * rate, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, 'data');
  view.setUint32(40, 2 * rate, true);
  return bytes;
}
