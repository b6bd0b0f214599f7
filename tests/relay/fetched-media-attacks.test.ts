// Attacks by addresses in requests: what is fetched costs neither other callers, nor third parties, nor the site more than what is paid for.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { embeddedEngine, oneEngine } from '#tests/support/engines.ts';
import { type FakeInternet, publicName, type Serving, startFakeInternet } from '#tests/support/fake-internet.ts';
import { pictureOf } from '#tests/support/image-responses.ts';
import { createScene, type RelayScene, type SceneOptions, until } from '#tests/support/relay-scene.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

const here = `https://${publicName}`;
const picture = Buffer.from(pictureOf(0), 'base64');
const [moonshot, gemini] = [25, 24];
const model = 'kimi-latest';

let internet: FakeInternet;
let distrust = () => {};
const servePicture: Serving = (_visit, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
/** Serves so many bytes, with or without their length. */
const serveBook =
  (bytes: number, isReported = true): Serving =>
  (_visit, response) =>
    response
      .writeHead(200, { 'content-type': 'application/pdf', ...(isReported ? { 'content-length': bytes } : {}) })
      .end(Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(bytes - 9, 32)]));
const hangs: Serving = (_visit, response) => void response.writeHead(200, { 'content-type': 'image/png' }).write('a');

beforeAll(async () => {
  distrust = trustLocalhost();
  internet = await startFakeInternet();
});
afterAll(async () => {
  distrust();
  await internet[Symbol.asyncDispose]();
});
afterEach(() => {
  internet.visits.length = 0;
});

const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const file = (url: string) => ({ type: 'file', file: { file_data: url } });
const ask = (...content: object[]) => ({
  model,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...content] }],
});

function open(engine = embeddedEngine, { settings, ...options }: SceneOptions = {}): Promise<RelayScene> {
  return createScene(engine, {
    network: internet.network,
    channels: [{ type: moonshot, models: model, priority: 1 }],
    settings: { RetryTimes: '2', ModelRatio: JSON.stringify({ [model]: 1 }), ...settings },
    ...options,
  });
}

const english = { 'accept-language': 'en' };

describe('what is fetched for one call', () => {
  it('ends with the first that cannot be had, and is not fetched for the next channel', async () => {
    await using scene = await open();
    await scene.addChannel({ type: moonshot, models: model });
    internet.serve((visit, response) => (visit.path === '/gone' ? response.writeHead(404).end() : hangs(visit, response)));
    const answer = await scene.chat(ask(image(`${here}/1`), image(`${here}/2`), image(`${here}/gone`), ...many(20)));
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('/gone');
    await until(() => (internet.open() === 0 ? true : null));
    expect(internet.visits.length).toBeLessThanOrEqual(4);
    expect(scene.app.context.bodies.bytes).toBe(0);
    // Of what was given up it is not said that it cannot be had.
    internet.serve(servePicture);
    expect((await scene.chat(ask(image(`${here}/1`)))).status).toBe(200);
  });

  it('together has no more than a caller may send', async () => {
    await using scene = await open(embeddedEngine, { env: { MAX_REQUEST_BODY_MB: '1' } });
    internet.serve(serveBook(500_000));
    const answer = await scene.chat(ask(file(`${here}/1.pdf`), file(`${here}/2.pdf`)));
    expect(answer.status).toBe(413);
    expect(scene.upstream.requests).toEqual([]);
    expect(scene.app.context.bodies.bytes).toBe(0);
    expect((await scene.chat(ask(file(`${here}/1.pdf`)))).status).toBe(200);
  });

  it('goes by its address where that will do and there is no room, and what was too large leaves room to others', async () => {
    const looking = 'gemini-2.5-flash';
    await using scene = await open(embeddedEngine, {
      env: { MAX_FILE_DOWNLOAD_MB: '1', MAX_BODIES_PER_USER_MB: '7' },
      channels: [{ type: gemini, models: looking }],
      settings: { ModelRatio: JSON.stringify({ [looking]: 1 }) },
    });
    internet.serve((visit, response) =>
      visit.path === '/picture'
        ? servePicture(visit, response)
        : serveBook(visit.path === '/long.pdf' ? 1_100_000 : 900_000, false)(visit, response),
    );
    const books = ['/1.pdf', '/2.pdf', '/3.pdf', '/long.pdf'].map((path) => file(here + path));
    const answer = await scene.chat({ ...ask(...books, image(`${here}/picture`)), model: looking });
    expect(answer.status, await answer.clone().text()).toBe(200);
    const sent = scene.upstream.requests.at(-1)?.text ?? '';
    expect(sent).toContain(`"fileUri":"${here}/long.pdf"`);
    expect(sent).toContain(picture.toString('base64'));
  });

  it('is held until it is in the body, however long that waits for its turn', async () => {
    await using scene = await open();
    const { bodies } = scene.app.context;
    internet.serve(serveBook(500_000));
    let isWatching = true;
    const seen: number[] = [];
    const watch = (): void => {
      seen.push(bodies.bytes);
      if (isWatching && scene.upstream.requests.length === 0) void bodies.inTurn('watcher', watch);
    };
    void bodies.inTurn('watcher', watch);
    expect((await scene.chat(ask(file(`${here}/1.pdf`)))).status).toBe(200);
    isWatching = false;
    const first = seen.findIndex((bytes) => bytes >= 1_500_000);
    expect(first).toBeGreaterThan(0);
    const last = seen.findLastIndex((bytes) => bytes >= 600_000);
    expect(Math.min(...seen.slice(first, last))).toBeGreaterThan(600_000);
  });

  it('is not asked of a server by an address that none takes', async () => {
    await using scene = await open();
    const answer = await scene.chat(ask(image(`${here}/${'a'.repeat(200_000)}`)), english);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('too long');
    expect(internet.visits).toEqual([]);
  });

  it('is nothing where requests pass as they are', async () => {
    await using scene = await open(embeddedEngine, { settings: { 'global.pass_through_request_enabled': 'true' } });
    const body = JSON.stringify(ask(image(`${here}/a.png`)), null, 1);
    expect((await scene.post('/v1/chat/completions', body)).status).toBe(200);
    expect(scene.upstream.requests.at(-1)?.text).toBe(body);
    expect(internet.visits).toEqual([]);
  });
});

const many = (count: number) => Array.from({ length: count }, (_, index) => image(`${here}/more/${index}`));

describe('callers who wait', () => {
  it('leave at once, also before it is their turn', async () => {
    await using scene = await open();
    internet.serve(hangs);
    const leaving = new AbortController();
    const calls = [1, 2, 3].map((call) =>
      scene
        .post('/v1/chat/completions', ask(...[1, 2, 3, 4].map((one) => image(`${here}/${call}/${one}`))), {}, leaving.signal)
        .catch(() => 'gone'),
    );
    await until(() => (internet.visits.length === 6 ? true : null));
    leaving.abort();
    await Promise.all(calls);
    await until(() => (internet.open() === 0 && scene.app.context.bodies.bytes === 0 ? true : null));
    internet.serve(servePicture);
    expect((await scene.chat(ask(image(`${here}/a.png`)))).status).toBe(200);
    expect(internet.visits).toHaveLength(7);
    await scene.checkBooks();
  });
});

describe('what a caller is told', () => {
  it('is the same of a name of a private network as of one that nobody has', async () => {
    await using scene = await open();
    internet.name('db.corp.example', ['10.0.0.9']);
    const reported = async (host: string) =>
      (await (await scene.chat(ask(image(`https://${host}/a`)), english)).text()).replaceAll(host, 'HOST').replace(/\(?request id.*/i, '');
    expect(await reported('db.corp.example')).toBe(await reported('no.corp.example'));
  });
});

describe('words that the site blocks', () => {
  it.each([
    ['another charset', 'text/plain; charset=utf-16le', Buffer.from('High Water', 'utf16le')],
    ['a mark of its charset', 'text/plain', Buffer.from('\ufeffHigh Water', 'utf16le')],
    ['JSON', 'application/json', Buffer.from('{"a":"high water"}')],
  ])('are found in %s', async (_what, type, bytes) => {
    await using scene = await open(embeddedEngine, { settings: { SensitiveWords: 'high water' } });
    internet.serve((_visit, response) => response.writeHead(200, { 'content-type': type }).end(bytes));
    const answer = await scene.chat(ask(file(`${here}/notes`)));
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('sensitive_words_detected');
    expect(scene.upstream.requests).toEqual([]);
  });

  it('a text reaches its provider in UTF-8', async () => {
    await using scene = await open();
    internet.serve((_visit, response) =>
      response.writeHead(200, { 'content-type': 'text/plain; charset="ISO-8859-1"' }).end(Buffer.from('Ebbe für Föhr', 'latin1')),
    );
    expect((await scene.chat(ask(file(`${here}/notes.txt`)))).status).toBe(200);
    expect(scene.upstream.requests.at(-1)?.text).toContain(Buffer.from('Ebbe für Föhr').toString('base64'));
  });
});

describe.each(oneEngine)('money on $kind', (engine) => {
  it('who cannot pay for the bytes is fetched for once, and another channel gets what its caller sent', async () => {
    await using scene = await open(engine, { quota: 30_000 });
    await scene.addChannel({ type: moonshot, models: model });
    internet.serve(serveBook(1_000_000));
    const body = { ...ask(file(`${here}/book.pdf`)), max_tokens: 10 };
    expect((await scene.chat(body)).status).toBe(403);
    expect(internet.visits).toHaveLength(1);
    expect(scene.upstream.requests).toEqual([]);
    await until(() => (scene.app.context.bodies.bytes === 0 ? true : null));
    await scene.addChannel({ type: 1, models: model, priority: -1 });
    expect((await scene.chat(body)).status).toBe(200);
    expect(scene.upstream.requests).toHaveLength(1);
    expect(scene.upstream.requests[0]?.text).toContain(`"file_data":"${here}/book.pdf"`);
    await scene.checkBooks();
  });
});
