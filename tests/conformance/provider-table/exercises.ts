// What each kind of call is tried with: whole, streamed where it streams, and with an error of the provider.
import { expect } from 'vitest';
import type { CallKindName } from '#server/kinds/call-kind.ts';
import { refusedText } from '#tests/support/provider-front.ts';
import type { RelayScene } from '#tests/support/relay-scene.ts';

export interface Exercise {
  /** Sends the call and returns the complete response. */
  ask(scene: RelayScene, model: string, stream: boolean): Promise<Response>;
  /** What every whole response has. */
  check(response: Response, text: string): void;
  /** Models that stream it, and a text that ends such a stream. */
  streams?: { models: RegExp; end: string };
  /** The same with a text that stand-ins which answer by themselves refuse. */
  requestRefused?: Exercise['ask'];
}

const json = (path: string, fields: object): Exercise['ask'] => {
  return (scene, model, stream) => scene.post(path, { model, ...fields, ...(stream ? { stream } : {}) });
};

const form = (path: string, name: string, fields: Record<string, string>): Exercise['ask'] => {
  return (scene, model, stream) => {
    const body = new FormData();
    for (const [field, value] of Object.entries({ model, ...fields, ...(stream ? { stream: 'true' } : {}) })) body.append(field, value);
    body.append(name, new File([Buffer.from('sound or picture')], name === 'file' ? 'a.mp3' : 'a.png', { type: 'image/png' }));
    return fetch(`${scene.app.origin}${path}`, { method: 'POST', headers: { authorization: `Bearer ${scene.key}` }, body });
  };
};

const has =
  (...texts: string[]): Exercise['check'] =>
  (_response, text) => {
    for (const part of texts) expect(text).toContain(part);
  };
const pictures = /^gpt-image/;

/** Conversations have a table of their own: `speakers.ts`. */
export const exercises: Readonly<Partial<Record<CallKindName, Exercise>>> = {
  completions: {
    ask: json('/v1/completions', { prompt: 'High water?', max_tokens: 50 }),
    check: has('"text_completion"', 'Brest'),
    streams: { models: /./, end: 'data: [DONE]' },
  },
  embeddings: {
    ask: json('/v1/embeddings', { input: ['ebb', 'flood'] }),
    check: has('"index":1', '"usage"'),
    requestRefused: json('/v1/embeddings', { input: [refusedText] }),
  },
  fim: {
    ask: json('/v1/fim/completions', { prompt: 'def tide():', suffix: 'return height', max_tokens: 50 }),
    check: has('"chat.completion"', 'Brest', '"usage"'),
    streams: { models: /./, end: 'data: [DONE]' },
  },
  images: {
    ask: json('/v1/images/generations', { prompt: 'a tide' }),
    check: has('"data"'),
    streams: { models: pictures, end: 'image_generation.completed' },
    requestRefused: json('/v1/images/generations', { prompt: refusedText }),
  },
  image_edits: {
    ask: form('/v1/images/edits', 'image', { prompt: 'a tide' }),
    check: has('"b64_json"'),
    streams: { models: pictures, end: 'image_edit.completed' },
  },
  image_variations: { ask: form('/v1/images/variations', 'image', {}), check: has('"data"') },
  moderations: { ask: json('/v1/moderations', { input: 'they drown' }), check: has('"flagged":true') },
  rerank: {
    ask: json('/v1/rerank', { query: 'high water', documents: ['ebb', 'the flood'], top_n: 1 }),
    check: (_response, text) => expect(JSON.parse(text).results).toMatchObject([{ index: 1 }]),
  },
  speech: {
    ask: (scene, model, stream) =>
      scene.post('/v1/audio/speech', { model, input: 'High water.', voice: 'alloy', ...(stream ? { stream_format: 'sse' } : {}) }),
    check: ({ headers }) => expect(headers.get('content-type')).toContain('audio/'),
    streams: { models: /^gpt-/, end: 'speech.audio.done' },
  },
  transcriptions: {
    ask: form('/v1/audio/transcriptions', 'file', { response_format: 'json' }),
    check: has('The tide comes in'),
    streams: { models: /^gpt-4o-transcribe/, end: 'transcript.text.done' },
  },
  translations: { ask: form('/v1/audio/translations', 'file', { response_format: 'json' }), check: has('The tide comes in') },
};

export function isKind(capability: string): capability is CallKindName {
  return capability in exercises;
}
