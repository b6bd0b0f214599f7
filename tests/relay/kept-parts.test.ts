// Stored conversations whose requests are each within the limit, but together exceed the limit of one request: refused before they are opened.
import { describe, expect, test, vi } from 'vitest';
import { jsonSize } from '#server/framing/part-budget.ts';
import type { SealPurpose } from '#server/secrets/secrets.ts';
import { sealWindow } from '#server/slices/responses/compaction.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions, testModel } from '#tests/support/relay-scene.ts';
import { connectSocket, type Json } from '#tests/support/socket-client.ts';

/** 60,000 objects, names and texts; less than one request may have, and two are more. */
const wide = Array.from({ length: 12_000 }, () => ({ type: 'input_text', text: '' }));
const wideItem = { type: 'message', role: 'user', content: wide };
const tooComplex = [413, 'body_too_complex'];

const open = (engine: (typeof oneEngine)[number], options: SceneOptions = {}) =>
  createScene(engine, { ...options, settings: { SelfUseModeEnabled: 'true', ...options.settings } });

async function reported(answer: Promise<Response> | Response): Promise<Json> {
  const response = await answer;
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

async function refusal(answer: Promise<Response>): Promise<unknown[]> {
  const response = await answer;
  const { error } = (await response.json()) as Json;
  return [response.status, error?.code];
}

const get = ({ app, key }: RelayScene, path: string) => fetch(`${app.origin}${path}`, { headers: { authorization: `Bearer ${key}` } });

/** What is decrypted, and the most parts of anything that is parsed, while something is done. */
async function watched<Result>({ app }: RelayScene, work: () => Promise<Result>) {
  const decrypted: SealPurpose[] = [];
  let parsed = 0;
  const { secrets } = app.context;
  const { decrypt } = secrets;
  const { parse } = JSON;
  const decrypting = vi.spyOn(secrets, 'decrypt').mockImplementation((cipher, purpose) => {
    decrypted.push(purpose);
    return decrypt(cipher, purpose);
  });
  const parsing = vi.spyOn(JSON, 'parse').mockImplementation((text: string, reviver) => {
    parsed = Math.max(parsed, jsonSize(text).parts);
    return parse(text, reviver);
  });
  try {
    const result = await work();
    return { result, decrypted: (purpose: SealPurpose) => decrypted.filter((each) => each === purpose).length, parsed };
  } finally {
    decrypting.mockRestore();
    parsing.mockRestore();
  }
}

async function conversationOf(scene: RelayScene, items: readonly object[]): Promise<string> {
  const { id } = await reported(scene.post('/v1/conversations', {}));
  for (const item of items) await reported(scene.post(`/v1/conversations/${id}/items`, { items: [item] }));
  return id;
}

/** As records were before parts were counted. */
async function forgetParts({ app }: RelayScene): Promise<void> {
  const { db } = app.context;
  for (const { id } of await db.collection('conversations').find({}))
    await db.collection('conversations').patch({ id }, { unset: ['parts'] });
  for (const { id } of await db.collection('conversation_items').find({}))
    await db.collection('conversation_items').patch({ id }, { unset: ['parts', 'is_summary'] });
  for (const { id } of await db.collection('responses').find({}))
    await db.collection('responses').patch({ id }, { unset: ['parts', 'chain_parts'] });
}

describe.each(oneEngine)('kept parts on $kind', (engine) => {
  test('a conversation of more than a request may have is refused, and nothing of it is opened', async () => {
    await using scene = await open(engine);
    const conversation = await conversationOf(scene, [wideItem, wideItem]);
    const requesting = () => refusal(scene.post('/v1/responses', { model: testModel, input: 'More', conversation }));
    const first = await watched(scene, requesting);
    expect([first.result, first.decrypted('kept_json')]).toEqual([tooComplex, 0]);
    // Its lock is given back, and an older record is counted before it is parsed.
    await forgetParts(scene);
    const older = await watched(scene, requesting);
    expect(older.result).toEqual(tooComplex);
    expect(older.parsed).toBeLessThan(100_000);
    expect(scene.upstream.requests).toHaveLength(0);
    expect(scene.app.context.bodies.bytes).toBe(0);
    await scene.checkBooks();
  });

  test('pages of items, and items, are what is kept of them: nothing is parsed', async () => {
    await using scene = await open(engine);
    const conversation = await conversationOf(scene, [wideItem, { role: 'user', content: 'Short' }, wideItem]);
    const path = `/v1/conversations/${conversation}/items`;
    const page = await watched(scene, async () => (await get(scene, `${path}?order=asc&limit=2`)).text());
    expect(page.parsed).toBeLessThan(1_000);
    const list: Json = JSON.parse(page.result);
    expect(list).toMatchObject({ object: 'list', data: [{ type: 'message' }, { content: [{ text: 'Short' }] }], has_more: true });
    expect([list['first_id'], list['last_id']]).toEqual(list['data'].map(({ id }: Json) => id));
    expect(list['data'][0].content).toEqual(wide);
    const next = await reported(get(scene, `${path}?order=asc&after=${list['last_id']}`));
    expect([next['data'].length, next['has_more']]).toEqual([1, false]);
    const last = next['data'][0];
    const one = await watched(scene, async () => (await get(scene, `${path}/${last.id}`)).text());
    expect(one.parsed).toBeLessThan(1_000);
    expect(JSON.parse(one.result)).toEqual(last);
    const { id: empty } = await reported(scene.post('/v1/conversations', {}));
    const none = { object: 'list', data: [], first_id: null, last_id: null, has_more: false };
    expect(await reported(get(scene, `/v1/conversations/${empty}/items`))).toEqual(none);
  });

  test('a conversation is gone on from, also an older one, and what stands before a summary does not count', async () => {
    await using scene = await open(engine);
    const { app, user } = scene;
    const sealed = sealWindow(app.context, user.id, [{ type: 'message', role: 'user', content: 'The summary' }]);
    const summary = { type: 'compaction', encrypted_content: sealed };
    const conversation = await conversationOf(scene, [wideItem, wideItem, summary, { role: 'user', content: 'After it' }]);
    const ask = () => reported(scene.post('/v1/responses', { model: testModel, input: 'More', conversation }));
    const { decrypted } = await watched(scene, ask);
    expect(decrypted('kept_json')).toBe(2);
    expect(JSON.stringify(scene.upstream.requests.at(-1)?.body)).toMatch(/The summary.*After it.*More/);
    await ask();
    const record = await app.context.db.collection('conversations').get(conversation);
    expect(record?.parts).toBeLessThan(300);
    const other = await conversationOf(scene, [{ role: 'user', content: 'Long ago' }]);
    await forgetParts(scene);
    await reported(scene.post('/v1/responses', { model: testModel, input: 'Today', conversation: other }));
    expect(JSON.stringify(scene.upstream.requests.at(-1)?.body)).toMatch(/Long ago.*Today/);
    expect((await app.context.db.collection('conversations').get(other))?.parts).toBeUndefined();
    await scene.checkBooks();
  });

  test('a chain of responses is bounded by its parts, of which a summary begins anew', async () => {
    await using scene = await open(engine);
    const { app, user } = scene;
    const ask = (fields: object) => scene.post('/v1/responses', { model: testModel, input: [wideItem], ...fields });
    const first = await reported(ask({}));
    const second = await reported(ask({ input: 'Short', previous_response_id: first['id'] }));
    const record = await app.context.db.collection('responses').get(first['id']);
    if (record?.chain_parts === undefined) throw new Error('The parts of a response are not counted');
    await app.context.db
      .collection('responses')
      .insert({ ...record, id: 'resp_b', previous: [first['id']], previous_count: 1, chain_parts: 2 * record.chain_parts });
    const going = () => refusal(ask({ input: 'On', previous_response_id: 'resp_b' }));
    const beyond = await watched(scene, going);
    expect([beyond.result, beyond.decrypted('kept_json')]).toEqual([tooComplex, 0]);
    await forgetParts(scene);
    expect(await going()).toEqual(tooComplex);
    const sent = scene.upstream.requests.length;
    expect(sent).toBe(2);
    // What is too much is left out at the beginning where its caller wants that.
    await reported(ask({ input: 'On', previous_response_id: 'resp_b', truncation: 'auto' }));
    const encrypted_content = sealWindow(app.context, user.id, [{ type: 'message', role: 'user', content: 'The summary' }]);
    const third = await reported(ask({ input: [{ type: 'compaction', encrypted_content }], previous_response_id: second['id'] }));
    const stored = await app.context.db.collection('responses').get(third['id']);
    expect(stored?.chain_parts).toBeLessThan(100);
    const after = await watched(scene, () => reported(ask({ input: 'Then', previous_response_id: third['id'] })));
    expect(after.decrypted('kept_json')).toBe(1);
    expect(JSON.stringify(scene.upstream.requests.at(-1)?.body)).toMatch(/The summary.*Then/);
    expect(app.context.bodies.bytes).toBe(0);
    await scene.checkBooks();
  });

  test('items are named only as far as their responses may be put together', async () => {
    await using scene = await open(engine);
    const ids: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { output } = await reported(scene.post('/v1/responses', { model: testModel, input: [wideItem] }));
      ids.push(output[0].id);
    }
    const name = (some: readonly string[]) =>
      scene.post('/v1/responses', {
        model: testModel,
        input: [...some.map((id) => ({ type: 'item_reference', id })), { role: 'user', content: 'Go' }],
      });
    expect((await reported(name(ids.slice(0, 1))))['status']).toBe('completed');
    expect(await refusal(name(ids))).toEqual(tooComplex);
    await forgetParts(scene);
    expect(await refusal(name(ids))).toEqual(tooComplex);
    expect(scene.app.context.bodies.bytes).toBe(0);
  });

  test('of sealed windows the last one is opened, and counted before it is parsed', async () => {
    await using scene = await open(engine);
    const { app, user } = scene;
    const windowOf = (items: readonly object[]) => ({
      type: 'compaction',
      encrypted_content: sealWindow(app.context, user.id, items as Json[]),
    });
    const item = (content: unknown) => ({ type: 'message', role: 'user', content });
    const many = [
      ...Array.from({ length: 8 }, () => windowOf([wideItem, wideItem])),
      item('Before'),
      windowOf([item('The last window')]),
      item('Behind'),
    ];
    const requested = await watched(scene, () => reported(scene.post('/v1/responses', { model: testModel, input: many, store: false })));
    expect(requested.decrypted('summary')).toBe(1);
    const sent = JSON.stringify(scene.upstream.requests.at(-1)?.body);
    expect(sent).toMatch(/The last window.*Behind/);
    expect(sent).not.toContain('Before');
    const beyond = await watched(scene, () =>
      refusal(scene.post('/v1/responses', { model: testModel, input: [windowOf([wideItem, wideItem])] })),
    );
    expect(beyond.result).toEqual(tooComplex);
    expect(beyond.parsed).toBeLessThan(1_000);
    expect(scene.upstream.requests).toHaveLength(1);
    expect(app.context.bodies.bytes).toBe(0);
  });

  test('what a connection remembers of turns that were free is not put together beyond one request', async () => {
    await using scene = await open(engine);
    using client = await connectSocket(`${scene.app.origin}/v1/responses`, { headers: { authorization: `Bearer ${scene.key}` } });
    const ask = async (fields: object) => {
      client.send({ type: 'response.create', model: testModel, generate: false, ...fields });
      return (await client.response()).at(-1) ?? {};
    };
    const first = await ask({ input: [wideItem] });
    expect(first).toMatchObject({ type: 'response.completed' });
    const previous_response_id = first['response'].id;
    const beyond = await watched(scene, () => ask({ input: [wideItem], previous_response_id }));
    expect(beyond.result).toMatchObject({ status: 413, error: { code: 'body_too_complex' } });
    expect(await ask({ input: 'Short', previous_response_id })).toMatchObject({ type: 'response.completed' });
    expect(scene.upstream.requests).toHaveLength(0);
  });

  test('interactions and threads are chains, too', async () => {
    await using scene = await open(engine);
    const interaction = (fields: object) =>
      scene.post('/v1beta/interactions', {
        model: testModel,
        input: [{ type: 'user_input', content: wide.map(() => ({ type: 'text', text: 'x' })) }],
        ...fields,
      });
    const { id } = await reported(interaction({}));
    expect((await interaction({ previous_interaction_id: id })).status).toBe(413);
    const message = { role: 'user', content: wide.map(() => ({ type: 'text', text: 'x' })) };
    const thread = (fields: object) => scene.post('/v1/messages', { model: testModel, max_tokens: 50, messages: [message], ...fields });
    const turn = await reported(thread({ thread: { type: 'create' } }));
    expect((await thread({ thread: { type: 'continue', previous_message_id: turn['id'] } })).status).toBe(413);
    expect(scene.upstream.requests).toHaveLength(2);
    await scene.checkBooks();
  });

  test('who can pay for nothing stores no conversations', async () => {
    await using scene = await open(engine, { quota: 0 });
    const refused = [403, 'insufficient_user_quota'];
    expect(await refusal(scene.post('/v1/conversations', { items: [wideItem] }))).toEqual(refused);
    expect(await refusal(scene.post('/v1/conversations/conv_1/items', { items: [wideItem] }))).toEqual(refused);
    expect(await scene.app.context.db.collection('conversations').count({})).toBe(0);
  });
});
