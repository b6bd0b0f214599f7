// A server process is killed while calls with rate limits run: what it has counted stays, and places of its calls are free once it counts as dead.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { startServer } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

const model = 'gpt-4o-mini';
const parallel = 3;
const daily = 12;

/** Starts a provider whose streams begin and do not end, and whose whole responses arrive at once. */
async function startProvider() {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (bytes: Buffer) => (text += bytes.toString()));
    request.on('end', () => {
      const head = { id: 'c', created: 1, model };
      if (text.includes('"stream":true')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const choices = [{ index: 0, delta: { role: 'assistant', content: 'Noon' }, finish_reason: null }];
        response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`);
        return;
      }
      const choices = [{ index: 0, message: { role: 'assistant', content: 'Noon' }, finish_reason: 'stop' }];
      const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(engines)('rate limits of a process that is killed, on $kind', ({ kind }) => {
  test('places are free again, requests stay counted, and not one more passes', async () => {
    await using provider = await startProvider();
    const scratch = await createScratch(kind === 'mongodb' ? testMongoUrl : undefined);
    const limits = [
      { meter: 'parallel', amount: parallel },
      { meter: 'requests', per: 'day', amount: daily },
    ];
    try {
      const key = await scratch.withContext(async (context) => {
        const user = await buildUser(context);
        await context.db.collection('users').insert(user);
        await context.ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: 10_000_000 });
        await context.db
          .collection('channels')
          .insert(buildChannel({ id: 1, type: 1, models: model, base_url: provider.url }, context.secrets));
        return (await createToken(context, user.id, { rate_limits: JSON.stringify(limits) })).key;
      });
      const call = (origin: string, stream: boolean) =>
        fetch(`${origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Tide?' }], ...(stream ? { stream } : {}) }),
        });
      const first = await startServer({ DATABASE_URL: scratch.url });
      // Two servers at once where the engine allows it.
      let second = kind === 'mongodb' ? await startServer({ DATABASE_URL: scratch.url }) : null;
      try {
        const streams = await Promise.all(Array.from({ length: parallel }, () => call(first.origin, true)));
        expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
        const refused = await call((second ?? first).origin, false);
        expect([refused.status, (await refused.json()).error.code]).toEqual([429, 'parallel_limit_exceeded']);
        const ends = streams.map((response) => response.text().catch(() => ''));
        await first.kill('SIGKILL');
        await Promise.all(ends);
        second ??= await startServer({ DATABASE_URL: scratch.url });
        const { origin } = second;
        let passed = parallel;
        await until(async () => {
          const response = await call(origin, false);
          await response.text();
          if (response.status === 200) passed += 1;
          return response.status === 200;
        });
        for (let refusedBy = ''; refusedBy !== 'rate_limit_exceeded';) {
          const response = await call(origin, false);
          const { error } = (await response.json()) as { error?: { code: string } };
          if (response.status === 200) passed += 1;
          else refusedBy = error?.code ?? '';
        }
        // What the killed process had given back in its last half second is lost.
        expect([daily - 1, daily]).toContain(passed);
      } finally {
        await first.kill('SIGKILL').catch(() => undefined);
        await second?.kill('SIGKILL');
      }
    } finally {
      await scratch.remove();
    }
  });
});
