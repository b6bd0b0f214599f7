// The check for a newer version, before a server that answers as GitHub does.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const [engine] = oneEngine;
if (engine === undefined) throw new Error('No engine to test on');
const release = { tag_name: 'v99.1.0', html_url: 'https://example.com/r', body: '## News', published_at: '2026-11-01T00:00:00Z', more: 1 };

describe('the check for updates', () => {
  let answer: RequestListener;
  let requested = 0;
  const server = createServer((request, response) => {
    requested += 1;
    answer(request, response);
  });
  let address = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest`;
  });
  afterAll(() => server.close());
  beforeEach(() => {
    requested = 0;
    answer = (_request, response) => response.end(JSON.stringify(release));
  });

  it('tells administrators of a newer version, and asks the address once in ten minutes', async () => {
    await using app = await createTestApp(engine, { env: { RELEASES_URL: address } });
    const root = await app.setup();
    const { data, success } = await root.get('/api/status/update');
    expect(success).toBe(true);
    expect(data).toEqual({
      version: 'v99.1.0',
      url: 'https://example.com/r',
      notes: '## News',
      published_at: '2026-11-01T00:00:00Z',
      is_newer: true,
    });
    await Promise.all(Array.from({ length: 20 }, () => root.get('/api/status/update')));
    expect(requested).toBe(1);
    app.clock.advance(10 * 60 * 1000 + 1);
    await root.get('/api/status/update');
    expect(requested).toBe(2);
  });

  it('is refused in words when no address is set, and to users', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    expect(await root.get('/api/status/update')).toMatchObject({ status: 200, success: false, code: 'update_source_missing' });
    const user = await app.as(await app.createUser());
    expect(await user.get('/api/status/update')).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it.each<[string, RequestListener]>([
    ['says 500', (_request, response) => response.writeHead(500).end('no')],
    ['sends no JSON', (_request, response) => response.end('<html>')],
    ['sends something else', (_request, response) => response.end('{"message":"rate limited"}')],
    ['sends without end', (_request, response) => response.end('x'.repeat(3 * 1024 * 1024))],
    ['hangs up', (request) => request.socket.destroy()],
  ])('an address that %s: the failure is told, and asked again the next time', async (_name, broken) => {
    await using app = await createTestApp(engine, { env: { RELEASES_URL: address } });
    const root = await app.setup();
    answer = broken;
    const english = { headers: { 'accept-language': 'en' } };
    expect(await root.get('/api/status/update', english)).toMatchObject({
      status: 200,
      success: false,
      code: 'update_check_failed',
      message: 'The check for updates failed, please try again later',
    });
    answer = (_request, response) => response.end(JSON.stringify({ ...release, tag_name: 'v0.0.1' }));
    expect((await root.get('/api/status/update')).data.is_newer).toBe(false);
  });
});
