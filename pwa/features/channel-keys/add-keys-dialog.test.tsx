import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { AddKeysDialog } from './add-keys-dialog.tsx';

let server: FixtureServer;
let screen: DrawnScreen;

beforeAll(async () => {
  await startScreenTexts('channel-keys', 'common');
  server = await startFixtureServer();
});
afterEach(() => screen.leave());
afterAll(() => server.stop());

test('keys are checked once their typing pauses, without reading the channels again', async () => {
  server.answer(({ body }, response) => {
    const keys = typeof body === 'object' && body !== null && 'keys' in body ? String(body.keys) : '';
    sendJson(response, { success: true, message: '', data: { added: keys.split('\n').length, known: [], invalid: [] } });
  });
  screen = drawScreen(<AddKeysDialog channel={7} name="Harbour" onClose={() => {}} />);
  for (const text of ['sk-a', 'sk-ab', 'sk-abc\nsk-d']) screen.type('One key per line', text);
  await shows(() => expect(screen.button('Add 2 keys').disabled).toBe(false));
  expect(server.requested.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /api/channel/7/keys/check']);
});
