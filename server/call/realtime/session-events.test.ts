import { expect, test } from 'vitest';
import { SessionEvents, type UpdateKind } from './session-events.ts';

test('session events: a client must wait when a hundred updates are unconfirmed', () => {
  const events = new SessionEvents({ model: 'a', upstreamModel: 'a', isBeta: false, isTranscription: false });
  const update = { type: 'session.update', session: { type: 'realtime', instructions: 'x' } };
  for (let sent = 0; sent < 100; sent += 1) {
    events.checkUpdate(update);
    events.update(update, undefined, 'client');
  }
  expect(() => events.checkUpdate(update)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(events.updated()).toBe('client');
  expect(() => events.checkUpdate(update)).not.toThrow();
});

test.each<[string, UpdateKind, unknown]>([
  ['a client', 'client', 'auto'],
  ['a key', 'preset', { workflow_name: 'pier', group_id: 'g', metadata: { caller: 'x' } }],
])('session events: tracing in the account of the provider is off, whatever %s sets', (_who, kind, tracing) => {
  const events = new SessionEvents({ model: 'a', upstreamModel: 'a', isBeta: false, isTranscription: false });
  const include = ['item.input_audio_transcription.logprobs'];
  const update = { type: 'session.update', session: { type: 'realtime', instructions: 'x', include, tracing } };
  events.checkUpdate(update);
  expect(events.update(update, undefined, kind)).toMatchObject({ session: { type: 'realtime', instructions: 'x', include } });
  expect(events.update(update, undefined, kind)).not.toHaveProperty('session.tracing');
});
