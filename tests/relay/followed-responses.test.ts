// Long responses with followers: delivered whole, however many records they take, and not buffered beyond their owner's limit.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventRows } from '#server/slices/responses/event-log.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene, until as found } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const addresses = { responses: '/v1/responses', interactions: '/v1beta/interactions' };
type Format = keyof typeof addresses;

/** A background call that is over, of whose events nothing is there any more. */
async function ended(scene: RelayScene, format: Format = 'responses'): Promise<string> {
  const made = await scene.post(addresses[format], { model: 'gpt-4o-mini', input: 'Hi', background: true });
  const { id } = await made.json();
  const { db } = scene.app.context;
  await found(() => db.collection('responses').first({ id, place: { exists: false } }));
  await db.collection('response_pieces').remove({ response_id: id, kind: 'events' });
  return id;
}

interface Log {
  id: string;
  text: string;
  parts: number;
  isOld?: boolean;
  output?: readonly object[];
}

/** The last event of a response, with so long a text, in so many records. */
async function writeLog({ app }: RelayScene, { id, text, parts, isOld = false, output = [] }: Log): Promise<void> {
  const { context } = app;
  const event = { type: 'response.completed', sequence_number: 7, response: { id, status: 'completed', text, output } };
  // Sealed whole and cut, as earlier versions did.
  const sealed = context.secrets.encrypt(JSON.stringify([event]), 'kept_json');
  const length = Math.ceil(sealed.length / parts);
  const contents = Array.from({ length: parts }, (_none, part) => sealed.slice(part * length, (part + 1) * length));
  const expiresAt = Math.floor(context.now() / 1000) + 1000;
  const rows = eventRows({ responseId: id, number: 7, expiresAt, isLast: true }, contents).map((row, part) => {
    if (!isOld) return row;
    const { parts: count, ...rest } = row;
    return { ...rest, id: `${id}:events:7:${part}`, ...(part === parts - 1 ? { parts: count } : {}) };
  });
  await context.db.write(rows.map((insert) => ({ insert, into: 'response_pieces' as const })));
}

async function follow(scene: RelayScene, id: string, query = ''): Promise<string> {
  const response = await fetch(`${scene.app.origin}${addresses.responses}/${id}?stream=true${query}`, {
    headers: { authorization: `Bearer ${scene.key}` },
    signal: AbortSignal.timeout(4000),
  });
  return response.text();
}

/** Follows, and reads nothing of it. */
async function followSlowly(scene: RelayScene, id: string, format: Format): Promise<Socket> {
  const socket = connect(scene.app.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  socket.on('error', () => {});
  socket.write(`GET ${addresses[format]}/${id}?stream=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${scene.key}\r\n\r\n`);
  return socket;
}

describe.each(engines)('long responses that are followed on $kind', (engine) => {
  test.each([
    [2, false],
    [11, false],
    [16, false],
    [45, false],
    [2, true],
    [11, true],
    [45, true],
  ])('come whole in %i records, under ids of before: %s', async (parts, isOld) => {
    await using scene = await createScene(engine);
    const id = await ended(scene);
    const text = Array.from({ length: 500 }, (_none, index) => `wave ${index}`).join(' ');
    await writeLog(scene, { id, text, parts, isOld });
    const reported = await follow(scene, id);
    expect(reported).toContain(text);
    expect(reported).toContain('response.completed');
    await until(() => scene.app.context.bodies.bytes === 0);
  });

  test('tell of their items what is asked for', async () => {
    await using scene = await createScene(engine);
    const id = await ended(scene);
    const output = [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed-by-its-maker' }];
    await writeLog(scene, { id, text: '', parts: 1, output });
    expect(await follow(scene, id)).toContain('"encrypted_content":null');
    expect(await follow(scene, id, '&include=reasoning.encrypted_content')).toContain('sealed-by-its-maker');
    expect(await follow(scene, id, '&include=tide')).toContain('"param":"include"');
  });

  test.each(['responses', 'interactions'] as const)('count as bodies of their owner until they are read or left: %s', async (format) => {
    await using scene = await createScene(engine);
    const { bodies } = scene.app.context;
    const id = await ended(scene, format);
    await until(() => bodies.bytes === 0);
    await writeLog(scene, { id, text: 'x'.repeat(12_000_000), parts: 4 });
    const socket = await followSlowly(scene, id, format);
    await until(() => bodies.bytes >= 24_000_000);
    socket.destroy();
    await until(() => bodies.bytes === 0);
    expect(socket.bytesRead).toBeLessThan(12_000_000);
  });

  test('wait where their owner holds too much, and come when there is room', async () => {
    await using scene = await createScene(engine, { env: { MAX_REQUEST_BODY_MB: '8', MAX_BODIES_PER_USER_MB: '1' } });
    const { bodies } = scene.app.context;
    const id = await ended(scene);
    await writeLog(scene, { id, text: 'x'.repeat(6_000_000), parts: 3 });
    await until(() => bodies.bytes === 0);
    const hold = bodies.open(`user:${scene.user.id}`);
    hold.grow(40_000_000);
    const following = await followSlowly(scene, id, 'responses');
    let answer = '';
    following.on('data', (chunk) => (answer += String(chunk)));
    following.resume();
    await until(() => answer.includes('200 OK'));
    expect(answer).not.toContain('response.completed');
    expect(bodies.bytes).toBe(40_000_000);
    hold.shrinkTo(0);
    await until(() => answer.includes('response.completed'));
    following.destroy();
    await until(() => bodies.bytes === 0);
  });
});
