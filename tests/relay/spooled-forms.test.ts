// Forms that are too large for memory: they lie on disk while they are served, arrive as they were sent, and leave nothing behind.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waveOf } from '#tests/support/audio-responses.ts';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const model = 'whisper-large-v3';
const edits = 'gpt-image-1';
const settings = { RetryTimes: '1', ModelRatio: JSON.stringify({ [model]: 3, [edits]: 2.5 }) };
const megabyte = 1_000_000;
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
/** Bytes that are like nothing, the beginnings of boundaries among them. */
const noise = (size: number, seed = 'tide') => {
  const bytes = Buffer.alloc(size);
  for (let at = 0, block = Buffer.from(seed); at < size; at += block.length) {
    block = createHash('sha512').update(block).digest();
    block.copy(bytes, at);
  }
  for (let at = 100_000; at + 9 < size; at += 131_072) bytes.write('\r\n--a-bo', at);
  return bytes;
};

describe.each(oneEngine)('spooled forms on $kind', (engine) => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-spool-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const open = ({ env, ...options }: SceneOptions = {}) =>
    createScene(engine, { channels: [{ models: `${model},${edits}` }], ...options, settings, env: { SPOOL_DIR: folder, ...env } });
  const formOf = (file: Buffer, fields: Record<string, string> = { model }, name = 'file') => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    form.append(name, new Blob([new Uint8Array(file)], { type: 'audio/wav' }), 'tide.wav');
    return form;
  };
  const post = ({ app, key }: RelayScene, body: BodyInit, place = 'audio/transcriptions', headers: Record<string, string> = {}) =>
    fetch(`${app.origin}/v1/${place}`, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body });
  const isEmpty = async ({ app }: RelayScene) => {
    const { bodies } = app.context;
    await until(() => bodies.spool.bytes === 0 && bodies.bytes === 0);
    expect(await readdir(folder)).toEqual([]);
  };

  test('a large file arrives as it was sent, at the channel that is asked next, too', async () => {
    const channels = [
      { models: edits, priority: 2 },
      { models: edits, priority: 1 },
    ];
    await using scene = await open({ channels });
    scene.upstream.queue({ status: 500 });
    const file = noise(3 * megabyte);
    expect((await post(scene, formOf(file, { model: edits, prompt: 'a tide' }, 'image'), 'images/edits')).status).toBe(200);
    expect(scene.upstream.requests).toHaveLength(2);
    for (const { files, body } of scene.upstream.requests) {
      expect(body).toEqual({ model: edits, prompt: 'a tide' });
      expect(files.map(({ name, bytes }) => [name, hashOf(bytes)])).toEqual([['image', hashOf(file)]]);
    }
    await isEmpty(scene);
    await scene.checkBooks();
  });

  test('files of any lengths arrive as they were sent, one after the other', async () => {
    await using scene = await open();
    const sent = [131_072 * 5, 131_072 * 5 + 1, 700_001, 3, 131_072 * 4 - 1].map((size, at) => noise(size, `tide ${at}`));
    const form = new FormData();
    form.append('model', edits);
    form.append('prompt', 'a tide');
    for (const file of sent) form.append('image[]', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'tide.png');
    expect((await post(scene, form, 'images/edits')).status).toBe(200);
    const arrived = scene.upstream.requests[0]?.files.map(({ bytes }) => hashOf(bytes));
    expect(arrived).toEqual(sent.map(hashOf));
    await isEmpty(scene);
    await scene.checkBooks();
  });

  test('a form of very many small parts is refused, and nothing of it stays', async () => {
    await using scene = await open();
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const part = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(100)}\r\n`;
    const refused = await post(scene, `${part.repeat(10_000)}--b--\r\n`, 'audio/transcriptions', headers);
    expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'invalid_request']);
    await isEmpty(scene);
  });

  test('it takes the disk, and nearly nothing of what bodies may hold in memory', async () => {
    await using scene = await open();
    scene.upstream.behave({ holdAfter: 0 });
    const answering = post(scene, formOf(waveOf(300), { model, response_format: 'json' }));
    const sent = await scene.upstream.request(0);
    const { bodies } = scene.app.context;
    expect(bodies.spool.bytes).toBeGreaterThan(2 * megabyte);
    expect(bodies.bytes).toBeLessThan(1000);
    // It is unlinked already: a killed process leaves nothing.
    expect(await readdir(folder)).toEqual([]);
    sent.release();
    expect((await answering).status).toBe(200);
    await isEmpty(scene);
  });

  test('the length of a sound on disk is what is paid', async () => {
    await using scene = await open();
    const seconds = 120;
    expect((await post(scene, formOf(waveOf(seconds)))).status).toBe(200);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ prompt_tokens: 2000, other: { units: { kind: 'minute', count: 2000, factor: 0.001 } } });
    await isEmpty(scene);
    await scene.checkBooks();
  });

  test('a compressed form is read as it was before', async () => {
    await using scene = await open();
    const sound = noise(2 * megabyte);
    const form = new Response(formOf(sound));
    const headers = { 'content-type': form.headers.get('content-type') ?? '', 'content-encoding': 'gzip' };
    const packed = gzipSync(Buffer.from(await form.arrayBuffer()));
    expect((await post(scene, new Uint8Array(packed), 'audio/transcriptions', headers)).status).toBe(200);
    expect(hashOf(scene.upstream.requests[0]?.files[0]?.bytes ?? Buffer.alloc(0))).toBe(hashOf(sound));
    await isEmpty(scene);
  });

  test('one user has a share of the disk, and others find room beside it', async () => {
    await using scene = await open({ env: { MAX_REQUEST_BODY_MB: '3', MAX_SPOOL_PER_USER_MB: '3', MAX_SPOOL_MB: '6' } });
    scene.upstream.behave({ holdAfter: 0 });
    const first = post(scene, formOf(noise(2 * megabyte)));
    await scene.upstream.request(0);
    const refused = await post(scene, formOf(noise(2 * megabyte)));
    expect([refused.status, (await refused.json()).error.code]).toEqual([429, 'bodies_of_caller']);
    const other = await scene.app.createUser({ quota: 500_000_000 });
    const { key } = await createToken(scene.app.context, other.id);
    const beside = post({ ...scene, key }, formOf(noise(2 * megabyte)));
    (await scene.upstream.request(1)).release();
    scene.upstream.requests[0]?.release();
    expect([(await first).status, (await beside).status]).toEqual([200, 200]);
    await isEmpty(scene);
    await scene.checkBooks();
  });

  test('who stops in the midst, or leaves while it is sent, leaves nothing', async () => {
    await using scene = await open();
    const socket = connect(scene.app.port, '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /v1/audio/transcriptions HTTP/1.1', 'Host: x', `Authorization: Bearer ${scene.key}`];
    head.push('Content-Type: multipart/form-data; boundary=b', 'Content-Length: 50000000', '', '');
    socket.write(head.join('\r\n'));
    socket.write(`--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`);
    socket.write(noise(2 * megabyte));
    await until(() => scene.app.context.bodies.spool.bytes > megabyte);
    socket.destroy();
    await isEmpty(scene);
    scene.upstream.behave({ holdAfter: 0 });
    const leaving = new AbortController();
    const left = fetch(`${scene.app.origin}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.key}` },
      body: formOf(waveOf(100)),
      signal: leaving.signal,
    });
    await scene.upstream.request(0);
    leaving.abort();
    await expect(left).rejects.toThrow('abort');
    await isEmpty(scene);
    await scene.checkBooks();
  });

  test('a form that is none is refused, wherever it breaks', async () => {
    await using scene = await open();
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const file = noise(megabyte);
    const part = Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
    for (const body of [
      Buffer.concat([part, file]),
      Buffer.concat([part, file, Buffer.from('\r\n--b')]),
      Buffer.concat([part, file, Buffer.from('\r\n--bx')]),
      file,
      Buffer.concat([part.subarray(0, -4), file]),
    ]) {
      const refused = await post(scene, new Uint8Array(body), 'audio/transcriptions', headers);
      expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'invalid_request']);
    }
    expect(scene.upstream.requests).toEqual([]);
    await isEmpty(scene);
  });

  test('a disk that takes nothing is told, and small forms go on', async () => {
    const blocked = path.join(folder, '..', `${path.basename(folder)}.file`);
    await writeFile(blocked, '');
    await using scene = await open({ env: { SPOOL_DIR: blocked } });
    const refused = await post(scene, formOf(noise(megabyte)));
    expect([refused.status, (await refused.json()).error]).toMatchObject([
      507,
      { code: 'spool_failed', type: 'new_api_error', message: expect.stringMatching(/its folder cannot be written|目录不可写/) },
    ]);
    expect(scene.upstream.requests).toEqual([]);
    expect((await post(scene, formOf(waveOf(2)))).status).toBe(200);
    // After the repair no restart is needed.
    await rm(blocked);
    await mkdir(blocked);
    expect((await post(scene, formOf(waveOf(100)))).status).toBe(200);
    await rm(blocked, { recursive: true });
    await scene.checkBooks();
  });

  test('what a killed process has left goes when the next one is at work', async () => {
    await writeFile(path.join(folder, 'left.body'), 'left');
    await using scene = await open();
    expect((await post(scene, formOf(waveOf(100)))).status).toBe(200);
    await isEmpty(scene);
  });
});
