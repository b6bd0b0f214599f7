// Paths of the relay are served without the adapter of fetch requests, however they are written.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { isRelayPath } from '#shared/paths.ts';
import { relayEndpoints } from '#server/call/endpoints.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';

// Errors of the server itself (shutting down, an unknown path below) have the endpoint's format only there.
test.each(relayEndpoints.map(({ path }) => path))('paths: %s is one of the relay', (path) => {
  expect(isRelayPath(path)).toBe(true);
});

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

/** The path as it is, which `fetch` would tidy up. */
function send(origin: string, { method, path, headers = {}, body }: Sent): Promise<{ status: number; type: string; text: string }> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      const reported = { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '' };
      text(response).then((read) => resolve({ ...reported, text: read }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('paths of the relay', () => {
  test.each([
    ['GET', '/v1/none'],
    ['POST', '/v1/none'],
    ['PUT', '/v1/chat/completions'],
    ['POST', '/x/../v1/none'],
    ['POST', 'http://elsewhere.example/v1/none'],
    ['DELETE', '/dashboard/billing/none/'],
  ])('%s %s is refused in the format of API clients, and the connection goes on', async (method, path) => {
    await using app = await createTestApp(embeddedEngine);
    const body = method === 'POST' ? JSON.stringify({ filler: 'x'.repeat(100_000) }) : undefined;
    for (let time = 0; time < 2; time += 1) {
      const response = await send(app.origin, { method, path, ...(body === undefined ? {} : { body }) });
      expect(response).toMatchObject({ status: 404, type: 'application/json; charset=utf-8' });
      expect(JSON.parse(response.text)).toMatchObject({ error: { code: 'invalid_url', type: 'invalid_request_error' } });
    }
  });

  test.each([
    ['POST', '/v1/audio/voices'],
    ['POST', '/v1/audio/voice_consents?x=1'],
    ['DELETE', '/v1/batches/batch_1'],
  ])('%s %s, which OpenAI has, is told to be missing', async (method, path) => {
    await using app = await createTestApp(embeddedEngine);
    const response = await send(app.origin, { method, path });
    expect(response.status).toBe(501);
    expect(JSON.parse(response.text)).toMatchObject({
      error: { code: 'verb_unknown', message: expect.stringContaining(path.split('?')[0] ?? '') },
    });
  });

  test.each([
    ['POST', '/v1/complete'],
    ['POST', '/v1/memory_stores'],
    ['GET', '/v1/sessions?limit=2'],
  ])('%s %s, which Claude has, is told to be missing in its format', async (method, path) => {
    await using app = await createTestApp(embeddedEngine);
    const response = await send(app.origin, { method, path });
    expect(response.status).toBe(501);
    expect(JSON.parse(response.text)).toMatchObject({
      type: 'error',
      error: { type: 'api_error', message: expect.stringContaining(path.split('?')[0] ?? '') },
      request_id: expect.any(String),
    });
  });

  test.each([
    ['POST', '/v1beta/files'],
    ['GET', '/v1beta/corpora/1?key=x'],
    ['POST', '/upload/v1beta/files?key=x'],
    ['POST', '/v1beta/fileSearchStores/a:importFile'],
    ['POST', '/v1beta/files:register'],
    ['GET', '/v1beta/tunedModels'],
    ['GET', '/v1/operations/1'],
  ])('%s %s, which Google has, is told to be missing in its format', async (method, path) => {
    await using app = await createTestApp(embeddedEngine);
    const body = method === 'POST' ? 'x'.repeat(100_000) : undefined;
    const response = await send(app.origin, { method, path, ...(body === undefined ? {} : { body }) });
    expect(response.status).toBe(501);
    expect(JSON.parse(response.text)).toMatchObject({
      error: { code: 501, status: 'UNIMPLEMENTED', message: expect.stringContaining(path.split('?')[0] ?? '') },
    });
  });

  test.each([
    ['POST', '/v1beta/none?key=1', 404, 'NOT_FOUND'],
    ['GET', '/v1beta', 404, 'NOT_FOUND'],
    ['PUT', '/v1beta/models/x', 404, 'NOT_FOUND'],
  ])('%s %s is refused in the format of Google', async (method, path, status, name) => {
    await using app = await createTestApp(embeddedEngine);
    const response = await send(app.origin, { method, path });
    expect(response.status).toBe(status);
    expect(JSON.parse(response.text)).toMatchObject({ error: { code: status, status: name } });
  });

  test.each([true, false])('a call of an address with a host is served like any other (stream: %s)', async (stream) => {
    await using scene = await createScene(embeddedEngine);
    const response = await send(scene.app.origin, {
      method: 'POST',
      path: 'http://elsewhere.example/v1/chat/completions',
      headers: { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: testModel, stream, messages: [{ role: 'user', content: 'Say hello' }] }),
    });
    expect(response).toMatchObject({ status: 200, type: stream ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8' });
    expect(response.text.includes('data: [DONE]')).toBe(stream);
    await scene.checkBooks();
  });

  test('HEAD and OPTIONS have no body', async () => {
    await using app = await createTestApp(embeddedEngine);
    const head = await send(app.origin, { method: 'HEAD', path: '/v1/models' });
    expect(head).toMatchObject({ text: '' });
    expect(head.status).toBeGreaterThanOrEqual(400);
    const headers = { origin: 'https://app.example', 'access-control-request-headers': 'authorization' };
    expect(await send(app.origin, { method: 'OPTIONS', path: '/v1/models', headers })).toMatchObject({ status: 204, text: '' });
  });
});
