import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildConsoleToken } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type Answering, type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { TestToken } from './test-token.tsx';

describe('test-token', () => {
  let server: FixtureServer;
  let screen: DrawnScreen;
  beforeAll(async () => {
    await startScreenTexts('token_edits');
    server = await startFixtureServer();
  });
  afterAll(() => server.stop());
  afterEach(() => {
    screen.leave();
    server.requested.length = 0;
  });

  const models = ['text-embedding-3-small', 'claude-opus-5-5', 'gpt-4o-mini'];
  const calls = () => server.requested.filter(({ url }) => url.startsWith('/v1/'));

  function open(answerCall: Answering, token = buildConsoleToken({ key: 'abc' })): void {
    server.answer((requested, response) => {
      if (requested.url.startsWith('/v1/')) answerCall(requested, response);
      else sendJson(response, { success: true, message: '', data: models });
    });
    screen = drawScreen(<TestToken token={token} />);
  }

  test('calls a small model once with the key, and says that it answered', async () => {
    open((_asked, response) => sendJson(response, { choices: [] }));
    await shows(() => expect(screen.text()).toContain('A real call to gpt-4o-mini, at its price'));
    screen.press('Test');
    await shows(() => expect(screen.text()).toContain('gpt-4o-mini answered'));
    expect(calls()).toMatchObject([
      { url: '/v1/chat/completions', headers: { authorization: 'Bearer sk-abc' }, body: { model: 'gpt-4o-mini' } },
    ]);
  });

  test('says what the call was refused with', async () => {
    open((_asked, response) => {
      response.writeHead(402, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: { message: 'The token is used up' } }));
    });
    await shows(() => screen.press('Test'));
    await shows(() => expect(screen.text()).toContain('402: The token is used up'));
  });

  test('asks only for what the token is limited to', async () => {
    open((_asked, response) => sendJson(response, {}), buildConsoleToken({ model_limits_enabled: true, model_limits: 'claude-opus-5-5' }));
    await shows(() => expect(screen.text()).toContain('A real call to claude-opus-5-5'));
  });

  test('is not offered for a token without a model that chats', async () => {
    open(() => {}, buildConsoleToken({ model_limits_enabled: true, model_limits: 'text-embedding-3-small' }));
    await shows(() => expect(server.requested).not.toHaveLength(0));
    expect(screen.text()).not.toMatch(/real call|Test/);
  });
});
