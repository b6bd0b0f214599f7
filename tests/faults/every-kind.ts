// One call of each kind, with the check by which its callers recognize a complete response.
import { waveOf } from '#tests/support/audio-responses.ts';

export interface KindOfCall {
  name: string;
  path: string;
  /** Prefix of its models' names, by which the fake provider chooses how it bills. */
  family: string;
  body: Readonly<Record<string, unknown>>;
  /** Files of the form that it is then, by their fields. */
  files?: readonly { field: string; name: string; bytes: Buffer }[];
  /** What stands in it once all of it is there; missing: its end is enough. */
  last?: string;
}

/** More than a form may have in memory. */
const spooled = 600_000;
const picture = Buffer.alloc(spooled, 'a picture ');
const sound = waveOf(spooled / 8000);
const prompt = 'the tide at dawn';
const messages = [{ role: 'user', content: prompt }];
const image = [{ field: 'image', name: 'tide.png', bytes: picture }];
const file = [{ field: 'file', name: 'tide.wav', bytes: sound }];

/** Multi-turn conversations, background responses and sockets have separate loads; batches, videos and realtime separate test files. */
export const everyKind: readonly KindOfCall[] = [
  { name: 'a chat', path: '/v1/chat/completions', family: 'talk', body: { messages, max_tokens: 50 } },
  { name: 'a streamed chat', path: '/v1/chat/completions', family: 'talk', body: { messages, stream: true }, last: '[DONE]' },
  { name: 'a message', path: '/v1/messages', family: 'talk', body: { messages, max_tokens: 50, stream: true }, last: 'message_stop' },
  { name: 'a response', path: '/v1/responses', family: 'talk', body: { input: prompt, stream: true }, last: 'response.completed' },
  { name: 'a completion', path: '/v1/completions', family: 'gpt-3.5-turbo-instruct', body: { prompt, stream: true }, last: '[DONE]' },
  { name: 'an embedding', path: '/v1/embeddings', family: 'text-embedding-3', body: { input: [prompt, 'ebb'] } },
  { name: 'a reranking', path: '/v1/rerank', family: 'ranker', body: { query: prompt, documents: ['ebb', 'flow'] } },
  { name: 'a moderation', path: '/v1/moderations', family: 'omni-moderation', body: { input: prompt } },
  { name: 'a picture', path: '/v1/images/generations', family: 'gpt-image', body: { prompt } },
  { name: 'pictures', path: '/v1/images/generations', family: 'dall-e', body: { prompt, n: 3 } },
  {
    name: 'a streamed picture',
    path: '/v1/images/generations',
    family: 'gpt-image',
    body: { prompt, stream: true, partial_images: 2 },
    last: 'image_generation.completed',
  },
  { name: 'an edit', path: '/v1/images/edits', family: 'gpt-image', body: { prompt }, files: image },
  {
    name: 'a streamed edit',
    path: '/v1/images/edits',
    family: 'gpt-image',
    body: { prompt, stream: true, partial_images: 2 },
    files: image,
    last: 'image_edit.completed',
  },
  { name: 'a variation', path: '/v1/images/variations', family: 'dall-e', body: { n: 2 }, files: image },
  { name: 'speech', path: '/v1/audio/speech', family: 'tts-1', body: { input: prompt, voice: 'alloy' } },
  { name: 'speech by tokens', path: '/v1/audio/speech', family: 'gpt-4o-mini-tts', body: { input: prompt, voice: 'alloy' } },
  {
    name: 'speech in events',
    path: '/v1/audio/speech',
    family: 'gpt-4o-mini-tts',
    body: { input: prompt, voice: 'alloy', stream_format: 'sse' },
    last: 'speech.audio.done',
  },
  { name: 'a transcript', path: '/v1/audio/transcriptions', family: 'whisper', body: {}, files: file },
  { name: 'subtitles', path: '/v1/audio/transcriptions', family: 'whisper', body: { response_format: 'srt' }, files: file },
  {
    name: 'a streamed transcript',
    path: '/v1/audio/transcriptions',
    family: 'gpt-4o-transcribe',
    body: { stream: true },
    files: file,
    last: 'transcript.text.done',
  },
  { name: 'a translation', path: '/v1/audio/translations', family: 'whisper', body: {}, files: file },
];

/** Models of all kinds that end so. */
export function modelsOf(ending: string): string[] {
  return [...new Set(everyKind.map(({ family }) => `${family}${ending}`))];
}

export interface RequestedKind {
  status: number;
  requestId: string;
  text: string;
  /** All of it came. */
  isWhole: boolean;
}

/** @throws {Error} when the connection ends before its time */
export async function askKind(origin: string, key: string, { kind, model }: { kind: KindOfCall; model: string }): Promise<RequestedKind> {
  const headers = { authorization: `Bearer ${key}` };
  const fields = { model, ...kind.body };
  const sent =
    kind.files === undefined
      ? { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(fields) }
      : { headers, body: formOf(fields, kind.files) };
  const response = await fetch(`${origin}${kind.path}`, { method: 'POST', ...sent });
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const isWhole = response.status === 200 && (kind.last === undefined || text.includes(kind.last));
  return { status: response.status, requestId: response.headers.get('x-oneapi-request-id') ?? '', text, isWhole };
}

function formOf(fields: object, files: NonNullable<KindOfCall['files']>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  for (const { field, name, bytes } of files) form.set(field, new Blob([new Uint8Array(bytes)]), name);
  return form;
}
