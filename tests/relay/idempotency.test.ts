// `Idempotency-Key`: a request that is repeated gets the response of the first one, and is charged once.
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable, type Filter } from '#server/db/collection.ts';
import type { CollectionName } from '#server/db/database.ts';
import type { IdempotentCallRecord } from '#server/db/records/idempotent-call.ts';
import { sweepIdempotentCalls } from '#server/slices/idempotency/stage.ts';
import { waveOf } from '#tests/support/audio-responses.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, readEvents, type RelayScene, testModel, until } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { instead } from '#tests/support/watched-database.ts';

const once = { 'idempotency-key': 'order-1', 'accept-language': 'en' };
const calls = ({ app }: RelayScene) => app.context.db.collection('idempotent_calls');

async function refusalOf(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

/** Repeats a charged call until its charge is certain. */
async function untilLost(repeat: () => Promise<Response>): Promise<void> {
  await until(async () => {
    const [status, code] = await refusalOf(await repeat());
    expect([status, ['idempotency_key_running', 'idempotency_response_lost'].includes(code)], code).toEqual([409, true]);
    return code === 'idempotency_response_lost' ? true : null;
  });
}

describe.each(engines)('calls with an idempotency key on $kind', (engine) => {
  const settings = { ResponseStoreEnabled: 'true' };

  it.each([
    ['/v1/chat/completions', { model: testModel, messages: [{ role: 'user', content: 'Say hello' }] }],
    ['/v1/messages', { model: testModel, max_tokens: 9, messages: [{ role: 'user', content: 'Say hello' }] }],
    ['/v1/responses', { model: testModel, input: 'Say hello' }],
    ['/v1/responses', { model: testModel, input: 'Say hello', store: false }],
    [`/v1beta/models/${testModel}:generateContent`, { contents: [{ parts: [{ text: 'Say hello' }] }] }],
    ['/v1/embeddings', { model: testModel, input: 'Say hello' }],
  ])('%s: a repetition gets the same bytes, and costs nothing', async (path, body) => {
    await using scene = await createScene(engine, { settings });
    const first = await scene.post(path, body, once);
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const text = await first.text();
    const [row] = await scene.logs(1);
    const balance = await scene.balance();
    const second = await scene.post(path, body, once);
    expect([second.status, second.headers.get('idempotent-replayed'), await second.text()]).toEqual([200, 'true', text]);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    // The id is that of the row with the charge.
    expect(second.headers.get('x-oneapi-request-id')).toBe(row?.request_id);
    expect(scene.upstream.requests).toHaveLength(1);
    expect(await scene.balance()).toBe(balance);
    // Other keys, and requests without one, are other calls.
    await scene.post(path, body, { ...once, 'idempotency-key': 'order-2' });
    await scene.post(path, body);
    await scene.logs(3);
    expect(scene.upstream.requests).toHaveLength(3);
    await scene.checkBooks();
  });

  it('forms are repeated by their fields and files, whatever separates their parts', async () => {
    await using scene = await createScene(engine, { channels: [{ models: 'whisper-1' }] });
    const post = (seconds: number) => {
      const body = new FormData();
      body.append('model', 'whisper-1');
      body.append('file', new Blob([new Uint8Array(waveOf(seconds))], { type: 'audio/wav' }), 'tide.wav');
      const headers = { ...once, authorization: `Bearer ${scene.key}` };
      return fetch(`${scene.app.origin}/v1/audio/transcriptions`, { method: 'POST', headers, body });
    };
    const text = await (await post(2)).text();
    const again = await post(2);
    expect([again.status, again.headers.get('idempotent-replayed'), await again.text()]).toEqual([200, 'true', text]);
    expect(await refusalOf(await post(3))).toEqual([422, 'idempotency_key_reused']);
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('a form is another one if a byte of its file or a field differs, and the same between other boundaries', async () => {
    await using scene = await createScene(engine, { channels: [{ models: 'whisper-1' }] });
    const post = (boundary: string, sound: Buffer, language: string) => {
      const fields = { model: 'whisper-1', language };
      const texts = Object.entries(fields).map(
        ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
      const body = Buffer.concat([Buffer.from(texts.join('') + file), sound, Buffer.from(`\r\n--${boundary}--\r\n`)]);
      const headers = { ...once, authorization: `Bearer ${scene.key}`, 'content-type': `multipart/form-data; boundary=${boundary}` };
      return fetch(`${scene.app.origin}/v1/audio/transcriptions`, { method: 'POST', headers, body });
    };
    const sound = waveOf(2);
    const other = Buffer.from(sound);
    other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
    expect((await post('a-boundary', sound, 'en')).status).toBe(200);
    expect((await post('quite-another-boundary', sound, 'en')).headers.get('idempotent-replayed')).toBe('true');
    for (const [bytes, language] of [
      [other, 'en'],
      [sound, 'fr'],
    ] as const)
      expect(await refusalOf(await post('a-boundary', bytes, language))).toEqual([422, 'idempotency_key_reused']);
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('a long request is compared to its last byte', async () => {
    await using scene = await createScene(engine);
    const content = (last: string) => [{ role: 'user', content: `${'tide '.repeat(100_000)}${last}` }];
    expect((await scene.chat({ messages: content('a') }, once)).status).toBe(200);
    expect((await scene.chat({ messages: content('a') }, once)).headers.get('idempotent-replayed')).toBe('true');
    expect(await refusalOf(await scene.chat({ messages: content('b') }, once))).toEqual([422, 'idempotency_key_reused']);
  });

  it('a request that continues a conversation is repeated, although the conversation has grown', async () => {
    await using scene = await createScene(engine, { settings });
    const { id: conversation } = await (await scene.post('/v1/conversations', {})).json();
    const body = { model: testModel, input: 'Say hello', conversation };
    const first = await (await scene.post('/v1/responses', body, once)).text();
    const second = await scene.post('/v1/responses', body, once);
    expect([second.status, second.headers.get('idempotent-replayed'), await second.text()]).toEqual([200, 'true', first]);
    const items = await fetch(`${scene.app.origin}/v1/conversations/${conversation}/items`, {
      headers: { authorization: `Bearer ${scene.key}` },
    });
    expect((await items.json()).data).toHaveLength(2);
  });

  it('a response that was stored can be retrieved by the id of the repetition', async () => {
    await using scene = await createScene(engine, { settings });
    const body = { model: testModel, input: 'Say hello' };
    await scene.post('/v1/responses', body, once);
    const { id } = await (await scene.post('/v1/responses', body, once)).json();
    const found = await fetch(`${scene.app.origin}/v1/responses/${id}`, { headers: { authorization: `Bearer ${scene.key}` } });
    expect([found.status, (await found.json()).id]).toEqual([200, id]);
  });

  it('a key stands for one request of one token', async () => {
    await using scene = await createScene(engine);
    await scene.chat({}, once);
    expect(await refusalOf(await scene.chat({ temperature: 1 }, once))).toEqual([422, 'idempotency_key_reused']);
    const { key } = await scene.addToken({ name: 'another' });
    const other = await scene.chat({ temperature: 1 }, { ...once, authorization: `Bearer ${key}` });
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([200, null]);
    for (const bad of ['', 'x'.repeat(256)])
      expect(await refusalOf(await scene.chat({}, { ...once, 'idempotency-key': bad })), bad).toEqual([400, 'idempotency_key_invalid']);
    await scene.checkBooks();
  });

  it('of repetitions at the same time one is sent, and the others get a 409 with a wait', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ holdAfter: 0 });
    const ended: Response[] = [];
    const racing = Array.from({ length: 6 }, () => scene.chat({}, once).then((response) => ended.push(response)));
    await until(() => (ended.length === 5 ? true : null));
    scene.upstream.requests[0]?.release();
    await Promise.all(racing);
    const statuses = ended.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409]);
    for (const response of ended.filter(({ status }) => status === 409)) {
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await refusalOf(response)).toEqual([409, 'idempotency_key_running']);
    }
    expect((await scene.chat({}, once)).headers.get('idempotent-replayed')).toBe('true');
    expect(scene.upstream.requests).toHaveLength(1);
    await scene.checkBooks();
  });

  it('a caller that has left gets the response that it paid for', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ holdAfter: 0 });
    const leaving = new AbortController();
    const body = { model: testModel, messages: [{ role: 'user', content: 'Say hello' }] };
    const left = scene.post('/v1/chat/completions', body, once, leaving.signal).catch(() => null);
    const [held] = await until(() => (scene.upstream.requests.length > 0 ? scene.upstream.requests : null));
    leaving.abort();
    await left;
    held?.release();
    await until(async () => ((await calls(scene).count({ state: 'stored' })) === 1 ? true : null));
    const again = await scene.post('/v1/chat/completions', body, once);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(scene.upstream.requests).toHaveLength(1);
    expect(await scene.logs(1)).toHaveLength(1);
    await scene.checkBooks();
  });

  it.each([
    ['/v1/chat/completions', { model: testModel, messages: [{ role: 'user', content: 'Say hello' }] }],
    ['/v1/responses', { model: testModel, input: 'Say hello' }],
  ])('%s: a blocked response is not stored for a caller that has left', async (path, body) => {
    const blocking = { ...settings, SensitiveWords: 'contraband', StopOnSensitiveEnabled: 'true' };
    await using scene = await createScene(engine, { settings: blocking });
    scene.upstream.behave({ text: 'Barrels of contraband', holdAfter: 0 });
    const leaving = new AbortController();
    const left = scene.post(path, body, once, leaving.signal).catch(() => null);
    const [held] = await until(() => (scene.upstream.requests.length > 0 ? scene.upstream.requests : null));
    const connections = await scene.app.connections();
    leaving.abort();
    await left;
    await until(async () => ((await scene.app.connections()) < connections ? true : null));
    held?.release();
    await scene.logs(1);
    await untilLost(() => scene.post(path, body, once));
    expect(scene.upstream.requests).toHaveLength(1);
    expect(await scene.app.context.db.collection('responses').count({})).toBe(0);
    await scene.checkBooks();
  });

  it('a failure that was charged is not charged again', async () => {
    await using scene = await createScene(engine, { settings: { SensitiveWords: 'contraband', StopOnSensitiveEnabled: 'true' } });
    scene.upstream.behave({ text: 'Barrels of contraband' });
    expect(await refusalOf(await scene.chat({}, once))).toEqual([400, 'output_blocked']);
    await untilLost(() => scene.chat({}, once));
    expect(scene.upstream.requests).toHaveLength(1);
    const [row] = await scene.logs(1);
    expect(row?.quota).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  it('a call that failed is repeated', async () => {
    await using scene = await createScene(engine);
    scene.upstream.queue({ status: 500 }, {});
    expect((await scene.chat({}, once)).status).toBe(500);
    await until(async () => ((await calls(scene).count({})) === 0 ? true : null));
    const again = await scene.chat({}, once);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    await scene.checkBooks();
  });

  it('a call that failed while the database was away can be repeated', async () => {
    await using scene = await createScene(engine);
    const { db } = scene.app.context;
    const collection = db.collection.bind(db);
    let failures = 1;
    const remove = (filter: Filter<IdempotentCallRecord>) =>
      (failures -= 1) < 0
        ? collection('idempotent_calls').remove(filter)
        : Promise.reject(new DatabaseUnavailable('A test has taken the database away'));
    Object.assign(db, {
      collection: (name: CollectionName) => (name === 'idempotent_calls' ? instead(collection(name), { remove }) : collection(name)),
    });
    scene.upstream.queue({ status: 500 }, {});
    expect((await scene.chat({}, once)).status).toBe(500);
    await until(async () => ((await calls(scene).count({})) === 0 ? true : null));
    expect((await scene.chat({}, once)).status).toBe(200);
  });

  it.each(['before', 'after'])('a process taken for dead charges its call if no repetition came %s its end', async (repeated) => {
    await using scene = await createScene(engine);
    const { database, clock, context } = scene.app;
    await using second = await createTestApp(engine, { database, clock });
    scene.upstream.queue({ holdAfter: 0 }, {});
    const body = { model: testModel, messages: [{ role: 'user', content: 'Say hello' }] };
    const first = scene.post('/v1/chat/completions', body, once);
    const [held] = await until(() => (scene.upstream.requests.length > 0 ? scene.upstream.requests : null));
    const { processId } = context.ledger;
    await context.db.collection('processes').patch({ id: processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
    await second.context.ledger.recoverCrashed();
    await until(() => (context.ledger.processId === processId ? null : true));
    const repeat = () => {
      const headers = { ...once, 'content-type': 'application/json', authorization: `Bearer ${scene.key}` };
      return fetch(`${second.origin}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    const early = repeated === 'before' ? await (await repeat()).text() : null;
    held?.release();
    const { status } = await first;
    expect(status).toBe(early === null ? 200 : 500);
    const late = await repeat();
    expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    if (early !== null) expect(await late.text()).toBe(early);
    expect(await scene.logs(1)).toHaveLength(1);
    await scene.checkBooks();
  });

  it('a refusal leaves no record', async () => {
    await using scene = await createScene(engine, { quota: 0 });
    expect((await scene.chat({}, once)).status).toBe(403);
    expect(await calls(scene).count({})).toBe(0);
  });

  it('streams are not repeated', async () => {
    await using scene = await createScene(engine);
    for (const _ of [1, 2]) expect((await readEvents(await scene.chat({ stream: true }, once))).at(-1)).toBe('[DONE]');
    expect(scene.upstream.requests).toHaveLength(2);
    expect(await calls(scene).count({})).toBe(0);
  });

  it('after a crash a charged call is never charged again, and one without a charge is made', async () => {
    await using scene = await createScene(engine);
    await scene.chat({}, once);
    const [row] = await scene.logs(1);
    // It died before the response was stored.
    await calls(scene).patch({ request_id: row?.request_id ?? '' }, { set: { state: 'running', response: '' } });
    await untilLost(() => scene.chat({}, once));
    expect(scene.upstream.requests).toHaveLength(1);
    // It died before it was charged.
    const other = { ...once, 'idempotency-key': 'order-2' };
    await scene.chat({}, other);
    const lost = { state: 'running', response: '', process: 'dead', request_id: 'never-settled' } as const;
    await calls(scene).patch({ state: 'stored' }, { set: lost });
    const again = await scene.chat({}, other);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(scene.upstream.requests).toHaveLength(3);
    expect((await scene.chat({}, other)).headers.get('idempotent-replayed')).toBe('true');
    await scene.checkBooks();
  });

  it('a response that is being stored when the request is repeated is waited for', async () => {
    await using scene = await createScene(engine);
    const text = await (await scene.chat({}, once)).text();
    const [stored] = await calls(scene).find({});
    // The charge is durable, and its response is on its way.
    await calls(scene).patch({ state: 'stored' }, { set: { state: 'running', response: '' } });
    const process = scene.app.context.ledger.processId;
    const seq = (await scene.logs(1))[0]?.seq ?? 0;
    await scene.app.context.db.collection('processes').patch({ id: process }, { set: { settled_seq: seq } });
    const repeating = scene.chat({}, once);
    await calls(scene).patch({ state: 'running' }, { set: { state: 'stored', response: stored?.response ?? '' } });
    const again = await repeating;
    expect([again.status, await again.text()]).toEqual([200, text]);
  });

  it('repetitions count against the limit of calls about stored objects', async () => {
    const env = { GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GLOBAL_API_RATE_LIMIT: '1' };
    await using scene = await createScene(engine, { env });
    const statuses: number[] = [];
    for (let count = 0; count < 60 && !statuses.includes(429); count += 1) statuses.push((await scene.chat({}, once)).status);
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(statuses.at(-1)).toBe(429);
    expect((await scene.chat()).status).toBe(200);
  });

  it('long responses are not stored, and records end after a day', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'tide '.repeat(60_000) });
    expect((await scene.chat({}, once)).status).toBe(200);
    const refused = await scene.chat({}, once);
    expect(await refusalOf(refused)).toEqual([409, 'idempotency_response_lost']);
    const { context } = scene.app;
    expect(await sweepIdempotentCalls(context)).toBe(0);
    expect(await sweepIdempotentCalls({ db: context.db, now: () => context.now() + 25 * 3600_000 })).toBe(1);
    expect((await scene.chat({}, once)).status).toBe(200);
    expect(scene.upstream.requests).toHaveLength(2);
  });
});
