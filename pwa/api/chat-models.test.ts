import { expect, test } from 'vitest';
import { callableKind, canChat, kindOfModel } from './chat-models.ts';

test.each([
  ['gpt-4o-mini', 'chat'],
  ['claude-opus-4-5', 'chat'],
  ['gemini-2.5-flash', 'chat'],
  ['gpt-image-1', 'picture'],
  ['dall-e-3', 'picture'],
  ['grok-2-image', 'picture'],
  ['black-forest-labs/FLUX.1-dev', 'picture'],
  ['tts-1-hd', 'speech'],
  ['gpt-4o-mini-tts', 'speech'],
  ['whisper-1', 'transcript'],
  ['gpt-4o-transcribe', 'transcript'],
  ['gemini-2.5-flash-image', 'picture'],
  ['imagen-4.0-generate-001', 'picture'],
  ['wan2.2-t2i-flash', 'picture'],
  ['qwen-image-plus', 'picture'],
  ['gemini-2.5-pro-preview-tts', 'speech'],
  ['glm-tts', 'speech'],
  ['glm-asr-2512', 'transcript'],
  // An ending that says how a chat model was trained.
  ['meta-llama/Llama-3.3-70B-Instruct', 'chat'],
  ['Qwen/Qwen2-72B-Instruct', 'chat'],
  ['gpt-3.5-turbo-instruct', undefined],
  ['text-embedding-3-small', undefined],
  ['gpt-realtime', undefined],
  ['omni-moderation-latest', undefined],
])('%s is asked for %s', (model, kind) => {
  expect(kindOfModel(model)).toBe(kind);
  expect(canChat(model)).toBe(kind === 'chat');
});

test.each([
  ['gpt-4o-mini', 'chat'],
  ['text-embedding-3-small', 'embedding'],
  ['BAAI/bge-m3', 'embedding'],
  ['BAAI/bge-reranker-v2-m3', 'rerank'],
  ['jina-reranker-v2', 'rerank'],
  ['omni-moderation-latest', 'moderation'],
  ['gpt-3.5-turbo-instruct', 'completion'],
  ['suno_music', 'music'],
  ['mj_imagine', 'drawing'],
  ['mj_upscale', undefined],
  ['gpt-realtime', undefined],
  ['gpt-4o-audio-preview', undefined],
])('a program asks %s for %s', (model, kind) => expect(callableKind(model)).toBe(kind));

test.each([
  'sora-2-pro',
  'veo-3.1-generate-preview',
  'kling-v2-6',
  'viduq2-pro',
  'MiniMax-Hailuo-02',
  'T2V-01-Director',
  'jimeng_t2v_v30_1080p',
  'doubao-seedance-1-0-lite-t2v-250428',
  'cogvideox-3',
  'wan2.5-t2v-preview',
  'wan2.2-kf2v-flash',
])('%s makes videos, which the playground orders', (model) => {
  expect(callableKind(model)).toBe('video');
  expect(kindOfModel(model)).toBe('video');
  expect(canChat(model)).toBe(false);
});
