// Calls over a WebSocket: many on one connection, each admitted and settled by itself.
import { describe, expect, test } from 'vitest';
import { errorText } from '#shared/errors.ts';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { createScene, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';
import { type ConnectOptions, connectSocket, type Json, RefusedSocket, type SocketClient } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

const path = '/v1/responses';
const minute = 60_000;

function connect({ app, key }: Pick<RelayScene, 'app' | 'key'>, options: ConnectOptions = {}): Promise<SocketClient> {
  return connectSocket(`${app.origin}${path}`, { headers: { authorization: `Bearer ${key}` }, ...options });
}

function ask(client: SocketClient, fields: Json = {}): void {
  client.send({ type: 'response.create', model: testModel, input: 'When is high water?', ...fields });
}

const textOf = (messages: readonly Json[]) =>
  messages.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : [])).join('');
const last = (messages: readonly Json[]): Json => messages.at(-1) ?? {};

async function refusalOf(work: Promise<unknown>): Promise<RefusedSocket> {
  const failure = await failureOf(work);
  if (!(failure instanceof RefusedSocket)) throw failure;
  return failure;
}

describe.each(engines)('calls over a socket on $kind', (engine) => {
  const open = (options: SceneOptions = {}) => createScene(engine, options);

  test('many on one connection: each has its events in order, its row and its charge', async () => {
    await using scene = await open();
    using client = await connect(scene);
    for (const text of ['Noon.', 'One.', 'Two.']) {
      scene.upstream.behave({ text });
      ask(client);
      const messages = await client.response();
      expect(messages.map(({ type }) => type).slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
      expect(messages.map(({ sequence_number }) => sequence_number)).toEqual(messages.map((_message, index) => index));
      expect(messages.every((message) => !('stream_id' in message))).toBe(true);
      expect(textOf(messages)).toBe(text);
      expect(last(messages)).toMatchObject({
        type: 'response.completed',
        response: { status: 'completed', usage: { total_tokens: expect.any(Number) } },
      });
    }
    const rows = await scene.logs(3);
    expect(rows).toHaveLength(3);
    expect(rows.every((row) => row.quota > 0 && row.is_stream && row.other?.['ending'] === undefined)).toBe(true);
    await scene.checkBooks();
  });

  test('a client that closes when its response is complete has not left; one that closes before is charged for what came', async () => {
    await using scene = await open();
    const client = await connect(scene);
    ask(client);
    await client.response();
    client.socket.close();
    await client.closed;
    scene.upstream.behave({ repeat: { text: 'wave ', times: 1000 }, holdAfter: 12 });
    const leaver = await connect(scene);
    ask(leaver);
    await until(() => (scene.upstream.requests[1]?.eventsSent ?? 0) >= 12);
    leaver.socket.terminate();
    expect(await (await scene.upstream.request(1)).closed).toBe('aborted');
    const rows = await scene.logs(2);
    expect(rows.map(({ other, quota }) => [other?.['ending'], quota > 0])).toEqual([
      [undefined, true],
      ['client_closed', true],
    ]);
    await scene.checkBooks();
  });

  test('an error of a call is a message; the next call goes on', async () => {
    await using scene = await open({ settings: { RetryTimes: '0' } });
    using client = await connect(scene);
    ask(client, { model: 'nobody-has-it' });
    expect(await client.response()).toMatchObject([
      { type: 'error', status: 404, error: { code: 'model_not_found', type: 'invalid_request_error', param: 'model' } },
    ]);
    client.send('{');
    expect(await client.response()).toMatchObject([{ type: 'error', status: 400, error: { code: 'invalid_json' } }]);
    client.send({ type: 'response.cancel' });
    expect(await client.response()).toMatchObject([{ type: 'error', status: 400, error: { code: 'invalid_request', param: 'type' } }]);
    ask(client, { max_output_tokens: -1 });
    expect(await client.response()).toMatchObject([{ type: 'error', status: 400, error: { param: 'max_output_tokens' } }]);
    scene.upstream.queue({ status: 503 }, { text: 'a b c d e f', cutAfter: 4, chunkDelay: 5 });
    ask(client);
    expect(await client.response()).toMatchObject([{ type: 'error', status: 503 }]);
    ask(client);
    const broken = await client.response();
    expect(broken[0]).toMatchObject({ type: 'response.created' });
    expect(broken.filter(({ type }) => type === 'error' || type === 'response.failed')).toMatchObject([
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } }, sequence_number: broken.length - 1 },
    ]);
    ask(client);
    expect(last(await client.response())).toMatchObject({ type: 'response.completed' });
    await scene.checkBooks();
  });

  test('a refused call costs nothing, and says when to come again', async () => {
    await using scene = await open({
      settings: { ModelRequestRateLimitEnabled: 'true', ModelRequestRateLimitCount: '1', ModelRequestRateLimitSuccessCount: '100' },
    });
    using client = await connect(scene);
    ask(client);
    expect(last(await client.response())).toMatchObject({ type: 'response.completed' });
    ask(client);
    const [refused] = await client.response();
    expect(refused).toMatchObject({ type: 'error', status: 429, error: { code: 'total_rate_limited' } });
    expect(Number(refused?.['headers']['retry-after'])).toBeGreaterThan(0);
    expect(refused?.['error'].headers).toEqual(refused?.['headers']);
    expect(await scene.logs(1)).toHaveLength(1);
    await scene.checkBooks();
  });

  test('a call beyond the balance is refused, and the connection stays', async () => {
    await using scene = await open({ tokenQuota: 1 });
    using client = await connect(scene);
    ask(client);
    expect(await client.response()).toMatchObject([{ type: 'error', status: 403 }]);
    client.send({ type: 'response.processed', response_id: 'resp_1' });
    ask(client, { model: 'nobody-has-it' });
    expect(await client.response()).toMatchObject([{ status: 404 }]);
    await scene.checkBooks();
  });

  test('a key that is revoked ends its idle connection, and the next call of a busy one', async () => {
    await using scene = await open();
    using idle = await connect(scene);
    using busy = await connect(scene);
    scene.upstream.behave({ text: 'a b c d', holdAfter: 3 });
    ask(busy);
    const request = await scene.upstream.request(0);
    await until(() => request.eventsSent >= 3);
    const { db, changes } = scene.app.context;
    await db.collection('tokens').patch({ id: scene.token.id }, { set: { status: 2 } });
    await changes.announce('token', scene.token.id);
    expect(await idle.response()).toMatchObject([{ type: 'error', status: 401, error: { code: 'key_disabled' } }]);
    expect(await idle.closed).toEqual({ code: 1008, reason: 'key_disabled' });
    ask(busy, { input: 'Next' });
    request.release();
    expect(last(await busy.response())).toMatchObject({ type: 'response.completed' });
    expect(await busy.response()).toMatchObject([{ type: 'error', status: 401, error: { code: 'key_disabled' } }]);
    expect(await busy.closed).toMatchObject({ code: 1008 });
    expect(scene.upstream.requests).toHaveLength(1);
    await scene.checkBooks();
  });

  test('a banned user is refused the same way', async () => {
    await using scene = await open();
    using client = await connect(scene);
    const { db, changes } = scene.app.context;
    await db.collection('users').patch({ id: scene.user.id }, { set: { status: 2 } });
    await changes.announce('user', scene.user.id);
    expect(await client.response()).toMatchObject([{ type: 'error', status: 403, error: { code: 'user_banned' } }]);
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(await refusalOf(connect(scene))).toMatchObject({ status: 403, body: { error: { code: 'user_banned' } } });
  });

  test('a conversation goes on from what the connection remembers, and only there', async () => {
    await using scene = await open();
    using client = await connect(scene);
    scene.upstream.behave({ text: 'Noon.' });
    ask(client, { store: false });
    const first = last(await client.response())['response'];
    ask(client, { store: false, previous_response_id: first.id, input: [{ role: 'user', content: 'And low water?' }] });
    const second = last(await client.response());
    expect(second).toMatchObject({ type: 'response.completed' });
    // A fork: it does not hold what came after.
    ask(client, { store: false, previous_response_id: first.id, input: 'Where?', stream_id: 'fork' });
    await client.response('fork');
    const requested = scene.upstream.requests.map(({ body }) =>
      (body as Json)['messages'].map(({ role, content }: Json) => [role, content]),
    );
    expect(requested).toEqual([
      [['user', 'When is high water?']],
      [
        ['user', 'When is high water?'],
        ['assistant', 'Noon.'],
        ['user', 'And low water?'],
      ],
      [
        ['user', 'When is high water?'],
        ['assistant', 'Noon.'],
        ['user', 'Where?'],
      ],
    ]);
    using other = await connect(scene);
    ask(other, { store: false, previous_response_id: first.id });
    expect(await other.response()).toMatchObject([
      {
        type: 'error',
        status: 400,
        error: { code: 'previous_response_not_found', param: 'previous_response_id', type: 'invalid_request_error' },
      },
    ]);
    await scene.checkBooks();
  });

  test('what is kept beyond the connection is gone on from on another one, with or without being kept itself', async () => {
    await using scene = await open();
    using one = await connect(scene);
    using other = await connect(scene);
    scene.upstream.behave({ text: 'Noon.' });
    ask(one);
    const created = await one.response();
    const first = last(created)['response'];
    expect(first).toMatchObject({ store: true, status: 'completed' });
    expect(created[0]).toMatchObject({ type: 'response.created', response: { id: first.id, store: true } });
    const stored = await fetch(`${scene.app.origin}/v1/responses/${first.id}`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect(await stored.json()).toMatchObject({ id: first.id, status: 'completed' });
    ask(other, { generate: false, previous_response_id: first.id, input: [] });
    const warm = last(await other.response())['response'];
    ask(other, { store: false, previous_response_id: warm.id, input: 'And low water?' });
    const second = last(await other.response())['response'];
    expect(second).toMatchObject({ store: false });
    ask(other, { store: false, previous_response_id: second.id, input: 'Where?' });
    const third = last(await other.response());
    ask(other, { previous_response_id: third['response'].id, input: 'Why?' });
    const fourth = last(await other.response())['response'];
    expect(fourth).toMatchObject({ store: true });
    ask(one, { previous_response_id: fourth.id, input: 'When again?' });
    expect(last(await one.response())).toMatchObject({ type: 'response.completed', response: { previous_response_id: fourth.id } });
    const requested = scene.upstream.requests.map(({ body }) => (body as Json)['messages'].map(({ content }: Json) => content));
    const said = ['When is high water?', 'Noon.', 'And low water?', 'Noon.', 'Where?', 'Noon.', 'Why?', 'Noon.', 'When again?'];
    expect(requested).toEqual([1, 3, 5, 7, 9].map((length) => said.slice(0, length)));
    await scene.checkBooks();
  });

  test('a warm-up asks nobody, costs nothing, and is gone on from', async () => {
    await using scene = await open();
    using client = await connect(scene);
    ask(client, { generate: false, instructions: 'Be brief.', input: [{ role: 'user', content: 'When?' }] });
    const messages = await client.response();
    expect(messages.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.completed']);
    expect(last(messages)['response']).toMatchObject({ output: [], instructions: 'Be brief.', usage: { total_tokens: 0 } });
    expect(scene.upstream.requests).toHaveLength(0);
    // What Codex sends next: nothing has been added.
    ask(client, { previous_response_id: last(messages)['response'].id, input: [] });
    expect(last(await client.response())).toMatchObject({ type: 'response.completed' });
    expect(scene.upstream.requests[0]?.body).toMatchObject({ messages: [{ role: 'user', content: 'When?' }] });
    ask(client, { generate: false, input: [] });
    expect(last(await client.response())).toMatchObject({ type: 'response.completed' });
    ask(client, { generate: false, model: 'nobody-has-it' });
    expect(await client.response()).toMatchObject([{ status: 404 }]);
    expect(await scene.logs(1)).toHaveLength(1);
    await scene.checkBooks();
  });

  test('queues: one call after the other on each, different ones at the same time, each with its name', async () => {
    await using scene = await open();
    using client = await connect(scene);
    scene.upstream.behave({ text: 'slow and steady', holdAfter: 2 }, { times: 1 });
    ask(client, { stream_id: 'slow' });
    const held = await scene.upstream.request(0);
    ask(client, { stream_id: 'slow', input: 'Second' });
    ask(client, { stream_id: 'quick' });
    const quick = await client.response('quick');
    expect(quick.filter(({ stream_id }) => stream_id === 'quick').map(({ type }) => type)).toContain('response.completed');
    expect(scene.upstream.requests).toHaveLength(2);
    held.release();
    await client.response('slow');
    const second = await client.response('slow');
    expect(second.every(({ stream_id }) => stream_id === 'slow')).toBe(true);
    expect(last(second)).toMatchObject({ type: 'response.completed' });
    ask(client, { stream_id: '' });
    expect(await client.response()).toMatchObject([
      { type: 'error', status: 400, error: { code: 'invalid_stream_id', param: 'stream_id' } },
    ]);
    for (let index = 0; index < 30; index += 1) ask(client, { stream_id: `queue-${index}`, model: 'nobody-has-it' });
    ask(client, { stream_id: 'one-more' });
    expect(last(await client.response('one-more'))).toMatchObject({ type: 'error', error: { code: 'websocket_stream_limit_reached' } });
    await scene.checkBooks();
  });

  test('sixteen calls at work on a connection; what is beyond waits, and what is far beyond is refused', async () => {
    await using scene = await open();
    using client = await connect(scene);
    scene.upstream.behave({ text: 'a b c', holdAfter: 2 });
    for (let index = 0; index < 20; index += 1) ask(client, { stream_id: `queue-${index}` });
    await scene.upstream.request(15);
    for (let waiting = 4; waiting < 64; waiting += 1) ask(client, { stream_id: 'queue-0' });
    ask(client, { stream_id: 'queue-1' });
    const messages = await client.response('queue-1');
    expect(last(messages)).toMatchObject({ type: 'error', status: 429, error: { code: 'too_many_turns' } });
    expect(scene.upstream.requests).toHaveLength(16);
    client.socket.terminate();
    await until(() => scene.upstream.requests.every(({ outcome }) => outcome === 'aborted'));
    expect(await scene.logs(16)).toHaveLength(16);
    await scene.checkBooks();
  });

  test('after an hour no call begins any more: one that is at work ends, then the connection does', async () => {
    await using scene = await open();
    using idle = await connect(scene);
    using busy = await connect(scene);
    scene.upstream.behave({ text: 'a b c d', holdAfter: 2 });
    ask(busy);
    const request = await scene.upstream.request(0);
    scene.app.clock.advance(60 * minute);
    const reached = { type: 'error', status: 400, error: { code: 'websocket_connection_limit_reached', type: 'invalid_request_error' } };
    expect(await idle.response()).toMatchObject([reached]);
    expect(await idle.closed).toMatchObject({ code: 1000 });
    ask(busy, { stream_id: 'next' });
    expect(last(await busy.response('next'))).toMatchObject(reached);
    request.release();
    expect(last(await busy.response())).toMatchObject({ type: 'response.completed' });
    expect(await busy.response()).toMatchObject([reached]);
    expect(await busy.closed).toMatchObject({ code: 1000 });
    await scene.checkBooks();
  });

  test('a server that ends lets calls at work end, begins none, and says why it goes', async () => {
    await using scene = await open();
    using idle = await connect(scene);
    using busy = await connect(scene);
    scene.upstream.behave({ text: 'a b c d', holdAfter: 2 });
    ask(busy);
    const request = await scene.upstream.request(0);
    ask(busy, { input: 'waits' });
    await until(() => request.eventsSent >= 2);
    const stopped = scene.app.stop();
    expect(await idle.closed).toEqual({ code: 1001, reason: 'the server is shutting down' });
    const refused = await busy.response();
    expect(last(refused)).toMatchObject({ type: 'error', status: 503, error: { code: 'shutting_down' } });
    request.release();
    expect(last(await busy.response())).toMatchObject({ type: 'response.completed' });
    expect(await busy.closed).toMatchObject({ code: 1001 });
    await stopped;
  });

  test('what is at work beyond the grace is ended with a word on why, and settled', async () => {
    await using scene = await open({ env: { SHUTDOWN_GRACE: '0' } });
    using busy = await connect(scene);
    scene.upstream.behave({ text: 'a b c d e f', holdAfter: 4 });
    ask(busy);
    await until(() => (scene.upstream.requests[0]?.eventsSent ?? 0) >= 4);
    const stopped = scene.app.stop();
    const error = { code: 'server_error', message: expect.stringContaining(errorText('shutting_down', 'en')) };
    expect(last(await busy.response())).toMatchObject({ type: 'response.failed', response: { status: 'failed', error } });
    expect(await busy.closed).toMatchObject({ code: 1001 });
    await stopped;
  });
});
