// Sockets of one account at several workers: responses stored by one are continued by the others, and a revoked key ends them all.
import { expect, test } from 'vitest';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { runAudit, startServer } from '#tests/support/server-process.ts';
import { connectSocket, type SocketClient } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const model = 'gpt-4o-mini';
const workers = 2;
/** Of a user at each process. */
const limit = 3;

test.each(engines)('sockets of one account at two workers, on $kind', async ({ kind }) => {
  const scratch = await createScratch(kind === 'mongodb' ? testMongoUrl : undefined);
  const upstream = await startFakeUpstream();
  const { key, token } = await scratch.withContext(async (context) => {
    const { db, ledger, secrets } = context;
    await db.collection('channels').insert(buildChannel({ id: 1, models: model, base_url: upstream.url }, secrets));
    const user = await buildUser(context);
    await db.collection('users').insert(user);
    await ledger.change({ account: 'user', id: user.id, amount: 50_000_000, kind: 'test', ref: 'test:1', actorId: 0 });
    return createToken(context, user.id);
  });
  const server = await startServer({ DATABASE_URL: scratch.url, WORKERS: String(workers), MAX_SOCKETS_PER_USER: String(limit) });
  const clients: SocketClient[] = [];
  try {
    const headers = { authorization: `Bearer ${key}` };
    const refusals: unknown[] = [];
    // Connections go to any worker; one refused by a full worker is retried.
    await until(async () => {
      await connectSocket(`${server.origin}/v1/responses`, { headers }).then(
        (client) => clients.push(client),
        (failure: unknown) => refusals.push(failure),
      );
      return clients.length === limit * workers;
    });
    for (let requested = 0; requested < 4; requested += 1)
      refusals.push(await connectSocket(`${server.origin}/v1/responses`, { headers }).catch((failure: unknown) => failure));
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: 429 });

    // Each continues the previous response, whichever worker made it.
    let previous: string | undefined;
    for (const [turn, client] of clients.entries()) {
      upstream.behave({ text: `Answer ${turn}.` });
      client.send({
        type: 'response.create',
        model,
        input: `Question ${turn}`,
        ...(previous === undefined ? {} : { previous_response_id: previous }),
      });
      const last = (await client.response()).at(-1) ?? {};
      expect(last).toMatchObject({ type: 'response.completed', response: { previous_response_id: previous ?? null } });
      previous = last['response'].id;
    }
    const requested = JSON.stringify(upstream.requests.at(-1)?.body);
    const said = clients.flatMap((_client, turn) =>
      turn < clients.length - 1 ? [`Question ${turn}`, `Answer ${turn}.`] : [`Question ${turn}`],
    );
    const places = said.map((text) => requested.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));

    await scratch.withContext(async ({ db, changes }) => {
      await db.collection('tokens').patch({ id: token.id }, { set: { status: 2 } });
      await changes.announce('token', token.id);
    });
    const ends = await Promise.all(clients.map(({ closed }) => closed));
    expect(ends.map(({ code }) => code)).toEqual(clients.map(() => 1008));
    await expect(connectSocket(`${server.origin}/v1/responses`, { headers })).rejects.toMatchObject({ status: 401 });
    expect(await server.kill('SIGTERM')).toBe(0);
    expect(await runAudit(scratch.url)).toMatchObject({ code: 0 });
    const rows = await scratch.withContext(({ db }) => db.collection('logs').find({ token_id: token.id, process: { exists: true } }));
    expect(rows).toHaveLength(clients.length);
  } finally {
    for (const client of clients) client[Symbol.dispose]();
    await server.kill('SIGKILL');
    await upstream.close();
    await scratch.remove();
  }
});
