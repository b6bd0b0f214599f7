// A long answer that has no room waits in its upstream's connection: it comes whole once there is room, however late that is.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { framings } from '#server/framing/registry.ts';
import { createSender } from '#server/exchange/send.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';

const body = JSON.stringify({ text: 'x'.repeat(4 * 1024 * 1024) });
/** Milliseconds. */
const responseMs = 500;

test('the time in which it waits for room is not the upstream’s', async () => {
  await using upstream = await startRawUpstream((response) => void response.end(body), { type: 'application/json' });
  const sender = createSender();
  let hasRoom = false;
  let goOn: (() => void) | undefined;
  const room = {
    grow(_bytes: number, next: () => void) {
      goOn = next;
      return hasRoom;
    },
  };
  const sending = sender.send(
    { origin: upstream.url, path: '/', method: 'POST', headers: {}, body: Buffer.from('{}'), framing: framings.sse, proxy: null },
    { responseMs, maxBytes: 64 * 1024 * 1024, room },
  );
  const answer = sending.response;
  await expect.poll(() => goOn).toBeDefined();
  await sleep(3 * responseMs);
  hasRoom = true;
  goOn?.();
  expect(await answer).toMatchObject({ kind: 'whole', status: 200, body: Buffer.from(body) });
  await sender.close();
});

test('with room it is late when its upstream is', async () => {
  await using upstream = await startRawUpstream((response) => void response.write(body), { type: 'application/json' });
  const sender = createSender();
  const sending = sender.send(
    { origin: upstream.url, path: '/', method: 'POST', headers: {}, body: Buffer.from('{}'), framing: framings.sse, proxy: null },
    { responseMs, maxBytes: 64 * 1024 * 1024, room: { grow: () => true } },
  );
  await expect(sending.response).rejects.toMatchObject({ reason: 'timeout' });
  await sender.close();
});
