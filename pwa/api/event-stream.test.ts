import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logApi } from '#shared/logs.ts';
import { type FixtureServer, startFixtureServer } from '#tests/support/console-server.ts';
import { readEvents, type ServerEvent } from './event-stream.ts';

let server: FixtureServer;
beforeAll(async () => {
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
});

async function collect(input: { quietMs?: number; signal?: AbortSignal; most?: number } = {}): Promise<ServerEvent[]> {
  const { quietMs = 10_000, signal = new AbortController().signal, most = Infinity } = input;
  const found: ServerEvent[] = [];
  for await (const one of readEvents(logApi.tailSelf, { query: { after: 'c1', model_name: undefined }, signal, quietMs })) {
    found.push(one);
    if (found.length >= most) break;
  }
  return found;
}

describe('the events of a stream', () => {
  test('come as they are sent, however they are cut, without what is only said to be heard', async () => {
    server.answer((_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const bytes = Buffer.from('retry: 3000\n\n:\n\nid: c2\nevent: rows\ndata: [{"a":"潮"}]\n\nevent: end\ndata: {}\n\n');
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await collect()).toEqual([
      { name: 'open', id: undefined, data: '' },
      { name: 'rows', id: 'c2', data: '[{"a":"潮"}]' },
      { name: 'end', id: undefined, data: '{}' },
    ]);
    expect(server.requested.map(({ url }) => url)).toEqual(['/api/log/self/tail?after=c1']);
  });

  test('a refusal, or an answer that is no stream, is a failure', async () => {
    for (const [status, type] of [
      [429, 'application/json'],
      [200, 'text/html'],
    ] as const) {
      server.answer((_asked, response) => {
        response.writeHead(status, { 'content-type': type });
        response.end('{}');
      });
      await expect(collect()).rejects.toThrow(String(status));
    }
  });

  test('a stream of which nothing is heard is given up', async () => {
    server.answer((_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 3000\n\n');
    });
    await expect(collect({ quietMs: 50 })).rejects.toThrow();
  });

  test('whoever leaves ends the request', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer((_asked, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('retry: 3000\n\n');
        response.on('close', resolve);
      });
    });
    expect(await collect({ most: 1 })).toHaveLength(1);
    await closed;
  });
});
