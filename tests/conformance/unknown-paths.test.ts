// Responses at paths that do not exist: in the format of the path, with the call's id.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const openaiPaths = [
  '/v1/chat/completion',
  '/v1/chat/completions/x',
  '/v1/embedding',
  '/v1',
  '/v1/response',
  '/v1/responses/x',
  '/v1/messagesx',
];
const claudePaths = ['/v1/messages/count_token', '/v1/messages/count_tokens/x'];

describe.each(oneEngine)('unknown paths on $kind', (engine) => {
  test.each(openaiPaths)('%s answers in the format of OpenAI', async (path) => {
    await using scene = await createScene(engine);
    const response = await scene.post(path, {});
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: { type: 'invalid_request_error', param: '', code: 'invalid_url', message: expect.stringContaining(path) },
    });
    expect(response.headers.get('x-request-id')).toMatch(/./);
    expect(response.headers.get('x-oneapi-request-id')).toBe(response.headers.get('x-request-id'));
  });

  test.each(claudePaths)('%s answers in the format of Claude', async (path) => {
    await using scene = await createScene(engine);
    const response = await scene.post(path, {});
    expect(response.status).toBe(404);
    const requestId = response.headers.get('request-id');
    expect(requestId).toMatch(/./);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: expect.stringContaining(path) },
      request_id: requestId,
    });
    expect(response.headers.get('x-oneapi-request-id')).toBe(requestId);
  });

  test.each([
    { path: '/v1/chat/completions', header: 'x-request-id' },
    { path: '/v1/embeddings', header: 'x-request-id' },
    { path: '/v1/responses', header: 'x-request-id' },
    { path: '/v1/messages', header: 'request-id' },
    { path: '/v1/messages/count_tokens', header: 'request-id' },
  ])('$path names the id of every call, also of one that is refused', async ({ path, header }) => {
    await using scene = await createScene(engine);
    const response = await scene.post(path, {});
    expect(response.status).toBe(400);
    expect(response.headers.get(header)).toMatch(/./);
  });
});
