// What a client might try to have for nothing in a realtime session.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import {
  cheap,
  dear,
  openRealtime as attack,
  realtimeModel as model,
  seconds,
  upTo,
  writing,
  writtenCost,
  writtenUsage,
} from '#tests/support/realtime-scene.ts';
import type { Json } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

describe.each(oneEngine)('attacks on realtime sessions on $kind', (engine) => {
  test('keys of the provider are neither in its errors nor in its last word', async () => {
    await using attacked = await attack(engine);
    const { client, peer } = attacked;
    peer.emit({
      type: 'error',
      error: { type: 'server_error', code: 'odd', message: 'of https://in.side/x and sk-secretsecret1', param: null, event_id: null },
    });
    expect((await upTo(client, 'error'))['error']).toMatchObject({ code: 'odd', message: 'of https://*** and sk-***' });
    peer.socket.close(4000, 'over with sk-secretsecret1');
    expect(await client.closed).toEqual({ code: 4000, reason: 'over with sk-***' });
  });

  test.each([
    ['switched off', null],
    ['given to a cheap model', { model: cheap }],
  ])('writing down that is %s behind a sound is charged by who has written it', async (_how, next) => {
    await using attacked = await attack(engine);
    const { client, peer, scene } = attacked;
    client.send(writing({ model: dear }));
    await upTo(client, 'session.updated');
    client.send({ type: 'input_audio_buffer.append', audio: seconds(1) });
    client.send({ type: 'input_audio_buffer.commit' });
    client.send(writing(next));
    await until(() => peer.ofType('session.update').length === 2);
    await upTo(client, 'session.updated');
    peer.transcribe(writtenUsage);
    await upTo(client, 'conversation.item.input_audio_transcription.completed');
    expect(await scene.logs(1)).toMatchObject([{ model_name: dear, quota: writtenCost }]);
    client.socket.close(1000);
    await peer.closed;
    await until(async () => (await scene.balance()) === 500_000_000 - writtenCost);
    await scene.checkBooks();
  });

  test('a text that nobody was known to write is paid by the last model', async () => {
    await using attacked = await attack(engine);
    const { client, peer, scene } = attacked;
    client.send(writing({ model: dear }));
    await upTo(client, 'session.updated');
    client.send(writing(null));
    await upTo(client, 'session.updated');
    peer.transcribe(writtenUsage);
    await upTo(client, 'conversation.item.input_audio_transcription.completed');
    expect(await scene.logs(1)).toMatchObject([{ model_name: dear, quota: writtenCost }]);
    await scene.checkBooks();
  });

  test('who reads a text as it is written and leaves before its end pays for it', async () => {
    await using attacked = await attack(engine);
    const { client, peer, scene } = attacked;
    client.send(writing({ model: dear }));
    await upTo(client, 'session.updated');
    client.send({ type: 'input_audio_buffer.append', audio: seconds(10) });
    client.send({ type: 'input_audio_buffer.commit' });
    await upTo(client, 'input_audio_buffer.committed');
    const delta = { item_id: 'item_heard', content_index: 0, delta: 'When is high water?' };
    peer.emit({ type: 'conversation.item.input_audio_transcription.delta', ...delta });
    await upTo(client, 'conversation.item.input_audio_transcription.delta');
    client.socket.terminate();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ model_name: dear });
    // Ten seconds are about 100 tokens.
    expect(row?.quota).toBeGreaterThanOrEqual(Math.ceil(100 * 2.4 * 1.25));
    await scene.checkBooks();
  });

  test('a model that writes has to be named: that of the provider would be free', async () => {
    await using attacked = await attack(engine);
    const { client, peer } = attacked;
    for (const nameless of [{}, { language: 'en' }, { model: 7 }]) {
      client.send(writing(nameless));
      expect(await client.next()).toMatchObject({ type: 'error', error: { param: 'session.audio.input.transcription.model' } });
    }
    expect(peer.ofType('session.update')).toEqual([]);
  });

  test('signs of life are answered, and a flood of them ends the connection', async () => {
    await using attacked = await attack(engine);
    const { client, peer } = attacked;
    let answered = 0;
    client.socket.on('pong', () => (answered += 1));
    for (let sent = 0; sent < 50; sent += 1) client.socket.ping();
    await until(() => answered === 50);
    for (let sent = 0; sent < 2_000; sent += 1) client.socket.ping();
    expect(await client.closed).toMatchObject({ code: 1006 });
    expect(await peer.closed).toMatchObject({ code: 1000 });
  });

  test('an update that fails at the provider raises no limit', async () => {
    await using attacked = await attack(engine, { quota: 180_000 });
    const { client, peer } = attacked;
    // The provider refuses all of it: no limit is set there.
    client.send({ type: 'session.update', event_id: 'bad', session: { type: 'wrong', max_output_tokens: 16 } });
    await upTo(client, 'error');
    // Now there is money for less than the longest response.
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'high water at the pier, '.repeat(7_000) }] };
    client.send({ type: 'conversation.item.create', item });
    await upTo(client, 'conversation.item.added');
    const reported = peer.ofType('session.update').map(({ session }) => session);
    expect(reported.at(-1)).toMatchObject({ type: 'realtime', max_output_tokens: expect.any(Number) });
    expect(peer.session['max_output_tokens']).toBeLessThan(4096);
  });

  test('a response is limited by whichever name its provider reads', async () => {
    await using attacked = await attack(engine, { quota: 40_000 });
    const { client, peer } = attacked;
    await until(() => peer.ofType('session.update').length === 1);
    const response = { max_output_tokens: 16, max_response_output_tokens: 'inf' };
    client.send({ type: 'response.create', response });
    await upTo(client, 'response.done');
    const [requested] = peer.ofType('response.create');
    expect(requested?.['response']).toEqual({ max_output_tokens: expect.any(Number) });
    expect(requested?.['response'].max_output_tokens).toBeLessThan(1300);
    client.send({ type: 'session.update', session: { type: 'realtime', max_output_tokens: 16, max_response_output_tokens: 'inf' } });
    await upTo(client, 'session.updated');
    for (const { session } of peer.ofType('session.update')) expect(session.max_response_output_tokens).toBeUndefined();
  });

  test.each<[string, Json]>([
    ['a prompt of the account', { type: 'session.update', session: { type: 'realtime', prompt: { id: 'pmpt_1' } } }],
    ['a prompt of the account for one response', { type: 'response.create', response: { prompt: { id: 'pmpt_1' } } }],
    ['a search', { type: 'session.update', session: { type: 'realtime', tools: [{ type: 'web_search' }] } }],
    [
      'another server',
      { type: 'response.create', response: { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://mcp.example' }] } },
    ],
    ['a kind of tool in a list', { type: 'response.create', response: { tools: [{ type: ['mcp'], server_label: 'a' }] } }],
    [
      'a file of the account',
      { type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] } },
    ],
    ['a voice of the account', { type: 'session.update', session: { type: 'realtime', audio: { output: { voice: { id: 'voice_1' } } } } }],
    ['a voice of the account for one response', { type: 'response.create', response: { voice: { id: 'voice_1' } } }],
    ['a type in a list', { type: ['response.create'] }],
    [
      'two who listen',
      { type: 'session.update', session: { type: 'realtime', turn_detection: null, audio: { input: { turn_detection: {} } } } },
    ],
    [
      'two who write',
      {
        type: 'session.update',
        session: { type: 'realtime', input_audio_transcription: { model: dear }, audio: { input: { transcription: null } } },
      },
    ],
    ['a name in capitals', { type: 'response.create', Type: 'session.update' }],
    [
      'a name in capitals below',
      { type: 'session.update', session: { type: 'realtime', audio: { input: { Transcription: { model: dear } } } } },
    ],
    ['another model', { type: 'response.create', response: { model: dear } }],
  ])('%s is refused before the provider hears of it', async (_what, event) => {
    await using attacked = await attack(engine);
    const { client, peer } = attacked;
    client.send(event);
    expect(await client.next()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    client.send({ type: 'input_audio_buffer.clear' });
    await upTo(client, 'input_audio_buffer.cleared');
    expect(peer.received.map(({ type }) => type)).toEqual(['input_audio_buffer.clear']);
  });

  test.each([
    ['twice', '{"type":"input_audio_buffer.clear","type":"response.create"}'],
    ['with an escape', String.raw`{"typ\u0065":"response.create"}`],
  ])('a name that stands %s is refused', async (_how, text) => {
    await using attacked = await attack(engine);
    const { client, peer } = attacked;
    client.socket.send(text);
    expect(await client.next()).toMatchObject({ type: 'error' });
    expect(peer.received).toEqual([]);
  });

  test('who asks for a response and leaves before it begins pays for what it reads', async () => {
    await using attacked = await attack(engine);
    const { client, peer, scene } = attacked;
    peer.isSilent = true;
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'high water at the pier, '.repeat(1_000) }] };
    client.send({ type: 'conversation.item.create', item });
    client.send({ type: 'response.create' });
    await until(() => peer.ofType('response.create').length === 1);
    client.socket.terminate();
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ model_name: model, completion_tokens: 0 });
    expect(row?.prompt_tokens).toBeGreaterThan(4_000);
    await scene.checkBooks();
  });

  test('sound that is sent in one piece before anybody hears it is reserved for when it is speech', async () => {
    // Two minutes are 1,200 tokens at 16: more than the balance left next to the first response.
    await using attacked = await attack(engine, { quota: 18_000 });
    const { client, peer, scene } = attacked;
    client.send({ type: 'input_audio_buffer.append', audio: seconds(120) });
    await until(() => peer.ofType('input_audio_buffer.append').length === 1);
    peer.emit({ type: 'input_audio_buffer.speech_started', audio_start_ms: 0, item_id: 'item_heard' });
    expect(await upTo(client, 'error')).toMatchObject({ error: { code: 'overdraft_stopped' } });
    await peer.closed;
    await until(async () => (await scene.balance()) === 18_000);
    await scene.checkBooks();
  });

  test('a flood of events passes in order, and is not held', async () => {
    await using attacked = await attack(engine);
    const { client, peer, scene } = attacked;
    const many = 3_000;
    for (let number = 0; number < many; number += 1)
      client.send({ type: 'conversation.item.retrieve', item_id: String(number), filler: 'x'.repeat(2_000) });
    let most = 0;
    await until(() => {
      most = Math.max(most, scene.app.context.bodies.bytes);
      return peer.received.length === many;
    });
    expect(peer.received.map((event) => event['item_id'])).toEqual(Array.from({ length: many }, (_, number) => String(number)));
    // 6 MB were sent: what waits is sixteen messages and one read of a socket.
    expect(most).toBeLessThan(1_000_000);
    await scene.checkBooks();
  });

  test('responses beside the conversation are each reserved for with all that they read', async () => {
    await using attacked = await attack(engine, { quota: 60_000 });
    const { client, peer, scene } = attacked;
    const text = 'high water at the pier, '.repeat(4_000);
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }];
    client.send({ type: 'response.create', response: { conversation: 'none', input } });
    // 20,000 tokens at 2 leave less than 20,000 for what is spoken, at 32.
    await upTo(client, 'response.done');
    expect(peer.ofType('response.create')[0]?.['response'].max_output_tokens).toBeLessThan(625);
    client.send({ type: 'response.create', response: { conversation: 'none', input: [...input, ...input] } });
    expect(await upTo(client, 'error')).toMatchObject({ error: { type: expect.any(String) } });
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(peer.ofType('response.create')).toHaveLength(1);
    await scene.checkBooks();
  });
});
