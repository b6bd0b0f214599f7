// Cost of a realtime session whose provider sends unrequested output.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { openRealtime, realtimeModel as model, upTo } from '#tests/support/realtime-scene.ts';
import { until } from '#tests/support/until.ts';

describe.each(engines)('money of realtime sessions on $kind', (engine) => {
  test('a response that begins with nothing reserved for it is stopped, and what it has read is charged', async () => {
    // The longest response is 4,096 tokens at 32: all that there is goes to the first one.
    await using opened = await openRealtime(engine, { quota: 100_000 });
    const { client, peer, scene, upstream } = opened;
    upstream.behave({ holdAfter: 1 });
    client.send({ type: 'response.create' });
    await upTo(client, 'response.output_audio.delta');
    await until(() => peer.held !== null);
    // A second one in parallel, by the provider itself.
    peer.answer({});
    expect(await upTo(client, 'error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    expect(await client.closed).toMatchObject({ code: 1008 });
    await peer.closed;
    expect(peer.ofType('response.cancel')).toHaveLength(1);
    const rows = await scene.logs(2);
    expect(rows).toMatchObject([{ model_name: model }, { model_name: model }]);
    // Each has read the thousand tokens that a session begins with.
    for (const { quota, prompt_tokens: read } of rows) {
      expect(read).toBeGreaterThanOrEqual(1_000);
      expect(quota).toBeGreaterThanOrEqual(2_000);
    }
    const spent = rows.reduce((sum, { quota }) => sum + quota, 0);
    await until(async () => (await scene.balance()) === 100_000 - spent);
    await scene.checkBooks();
  });

  test('what an mcp server has told is reserved for: the next turn reads it, and no usage has told of it', async () => {
    await using opened = await openRealtime(engine, { quota: 60_000 });
    const { client, peer, scene } = opened;
    await until(() => peer.ofType('session.update').length === 1);
    const bound = peer.session['max_output_tokens'];
    const output = 'high water at the pier, '.repeat(2_000);
    const item = { id: 'mcp_1', type: 'mcp_call', server_label: 'tides', name: 'read', arguments: '{}' };
    peer.emit({ type: 'conversation.item.added', item, previous_item_id: null });
    peer.emit({ type: 'conversation.item.done', item: { ...item, output }, previous_item_id: null });
    await upTo(client, 'conversation.item.done');
    await until(() => peer.session['max_output_tokens'] < bound);
    // 10,000 tokens at 2, of 32 each that may be spoken.
    expect(bound - peer.session['max_output_tokens']).toBeGreaterThan(500);
    peer.emit({ type: 'response.output_item.done', response_id: 'resp_x', output_index: 0, item: { ...item, output } });
    await upTo(client, 'response.output_item.done');
    peer.emit({ type: 'conversation.item.done', item: { ...item, id: 'mcp_2', output: output.repeat(6) }, previous_item_id: null });
    expect(await upTo(client, 'error')).toMatchObject({ error: { code: 'overdraft_stopped' } });
    expect(await client.closed).toMatchObject({ code: 1008 });
    await until(async () => (await scene.balance()) === 60_000);
    await scene.checkBooks();
  });
});
