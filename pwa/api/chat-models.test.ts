import { expect, test } from 'vitest';
import { canChat, kindOfModel } from './chat-models.ts';

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
  ['text-embedding-3-small', undefined],
  ['gpt-realtime', undefined],
  ['omni-moderation-latest', undefined],
])('%s is asked for %s', (model, kind) => {
  expect(kindOfModel(model)).toBe(kind);
  expect(canChat(model)).toBe(kind === 'chat');
});
