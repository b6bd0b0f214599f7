// Kinds of models at channels, by name or by known facts.
import { expect, test } from 'vitest';
import { inputAudioTokens, isByTokens } from '#server/kinds/audio/input-audio.ts';
import { probeChat } from '#server/formats/openai-chat/probe.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { kindOfModel } from './kind-of-model.ts';

test.each([
  ['gpt-6.1-sol', undefined],
  ['voyage-4-large', 'embeddings'],
  ['text-embedding-3-large', 'embeddings'],
  ['gpt-live-1', 'realtime'],
  ['gpt-realtime-whisper', 'realtime'],
  ['gpt-transcribe', 'transcriptions'],
  ['gpt-image-2.6-sunburst', 'images'],
  ['gemini-3-pro-image', undefined],
])('%s at a channel of OpenAI is for %s', (model, kind) => {
  expect(kindOfModel(buildPreparedChannel({ type: 1 }), model)).toBe(kind);
});

test.each([
  ['gpt-4o-transcribe', true],
  ['gpt-transcribe', false],
  ['gpt-live-transcribe', false],
  ['gpt-realtime-whisper', false],
  ['gpt-realtime-translate', false],
  ['whisper-1', false],
  ['gpt-transcribe-2027-01-01', false],
  ['voxtral-of-somebody', true],
])('%s is billed by tokens: %s', (model, isSo) => {
  expect(isByTokens(model)).toBe(isSo);
  expect(inputAudioTokens(model, 60)).toBe(isSo ? 600 : 1000);
});

test.each([
  ['gpt-6.1-sol', { max_completion_tokens: 10 }],
  ['o3', { max_completion_tokens: 10 }],
  ['gpt-7', { max_completion_tokens: 10 }],
  ['gpt-4o', { max_tokens: 10 }],
  ['gpt-5-chat-latest', { max_tokens: 10 }],
  ['gemini-3.8-flash', { max_tokens: 300 }],
  ['claude-3-7-sonnet-20250219-thinking', {}],
  ['of-nobody', { max_tokens: 10 }],
])('the test of %s sets %o', (model, limit) => {
  expect(probeChat(model, model)).toEqual({ model, messages: [{ role: 'user', content: 'hi' }], ...limit });
});
