import { expect, test } from 'vitest';
import { createRouter } from './router.ts';

const answer = () => new Response('answered');

test('router: direct is what begins as a direct route does, whatever the method and whether or not anything is there', () => {
  const router = createRouter();
  router.add('GET', '/api/data/', answer);
  router.addDirect('POST', '/v1/messages', answer);
  router.addDirect('GET', '/pg/models/:model+', answer);
  for (const path of ['/v1/messages', '/v1/none', '/v1', '/pg/models/a/b']) expect(router.isDirect(path), path).toBe(true);
  for (const path of ['/api/data', '/v1beta/none', '/', '', '/v10', '/x/v1/messages', '/x/../v1/none', '*'])
    expect(router.isDirect(path), path).toBe(false);
});

test('router: a direct route is found like any other, and claimed once', async () => {
  const router = createRouter();
  router.addDirect('POST', '/v1/messages', answer);
  const request = new Request('http://localhost/v1/messages', { method: 'POST' });
  expect(await router.match(request, '/v1/messages', null)).toMatchObject({ status: 200 });
  expect(() => router.add('POST', '/v1/messages', answer)).toThrow('Two routes claim POST /v1/messages');
});
