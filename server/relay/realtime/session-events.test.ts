import { expect, test } from 'vitest';
import { SessionEvents } from './session-events.ts';

test('session-events: a client waits when a hundred updates have no confirmation', () => {
  const events = new SessionEvents({ model: 'a', upstreamModel: 'a', isBeta: false, isHeardOnly: false });
  const update = { type: 'session.update', session: { type: 'realtime', instructions: 'x' } };
  for (let sent = 0; sent < 100; sent += 1) {
    events.checkUpdate(update);
    events.update(update, undefined, 'client');
  }
  expect(() => events.checkUpdate(update)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(events.updated()).toBe('client');
  expect(() => events.checkUpdate(update)).not.toThrow();
});
