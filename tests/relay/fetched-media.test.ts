// Addresses in requests, where the provider takes bytes: fetched by us, within bounds, from public places alone, and paid for as what they are.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { embeddedEngine, oneEngine } from '#tests/support/engines.ts';
import { type FakeBedrock, startFakeBedrock } from '#tests/support/fake-bedrock.ts';
import { type FakeInternet, publicAddress, publicName, startFakeInternet, type Visit } from '#tests/support/fake-internet.ts';
import { type FakeOllama, startFakeOllama } from '#tests/support/fake-ollama.ts';
import { pictureOf } from '#tests/support/image-responses.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, until } from '#tests/support/relay-scene.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

const picture = pictureOf(0);
const pdf = Buffer.from('%PDF-1.4\n%%EOF').toString('base64');
const here = `https://${publicName}`;
const contents: Readonly<Record<string, { type: string; base64: string }>> = {
  '/a.png': { type: 'image/png', base64: picture },
  // Its name does not show its type.
  '/picture': { type: 'application/octet-stream', base64: picture },
  '/tides.pdf': { type: 'application/pdf', base64: pdf },
  '/notes.txt': { type: 'text/plain; charset=utf-8', base64: Buffer.from('High water at noon').toString('base64') },
  '/bell.mp3': { type: 'audio/mpeg', base64: Buffer.from('ID3 a bell').toString('base64') },
  '/bell.mp4': { type: 'video/mp4', base64: Buffer.from('\0\0\0 ftypisom a bell').toString('base64') },
  '/drawing': { type: 'image/svg+xml', base64: Buffer.from('<svg/>').toString('base64') },
  '/page': { type: 'text/html', base64: Buffer.from('<p>No such picture</p>').toString('base64') },
};

let internet: FakeInternet;
let distrust = () => {};
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
  internet.connections.length = 0;
  internet.serve(serveContents);
});

function serveContents({ path }: Visit, response: Parameters<Parameters<FakeInternet['serve']>[0]>[1]): void {
  const found = contents[path];
  if (found === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('gone');
  else response.writeHead(200, { 'content-type': found.type }).end(Buffer.from(found.base64, 'base64'));
}
beforeAll(() => internet.serve(serveContents));

const requested = { type: 'text', text: 'What is it?' };
const chatImage = (url: string) => ({ messages: [{ role: 'user', content: [requested, { type: 'image_url', image_url: { url } }] }] });

const callers = {
  chat: (model: string, url: string) => ({ path: '/v1/chat/completions', body: { model, ...chatImage(url) } }),
  responses: (model: string, url: string) => ({
    path: '/v1/responses',
    body: { model, input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] },
  }),
  claude: (model: string, url: string) => ({
    path: '/v1/messages',
    body: { model, max_tokens: 50, messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }] },
  }),
  gemini: (model: string, url: string) => ({
    path: `/v1beta/models/${model}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ fileData: { fileUri: url, mimeType: 'image/png' } }] }] },
  }),
  interactions: (model: string, url: string) => ({
    path: '/v1beta/interactions',
    body: { model, store: false, input: [{ type: 'image', uri: url }] },
  }),
} as const;
const everyCaller = Object.keys(callers) as (keyof typeof callers)[];

async function openScene(options: SceneOptions = {}): Promise<RelayScene> {
  return createScene(embeddedEngine, { network: internet.network, settings: { RetryTimes: '0' }, ...options });
}

async function openOllama(options: SceneOptions = {}): Promise<{ scene: RelayScene; ollama: FakeOllama } & AsyncDisposable> {
  let ollama: FakeOllama | undefined;
  const model = 'qwen3:8b';
  const scene = await openScene({
    channels: [{ models: model }],
    front: async (url) => (ollama = await startFakeOllama(url)),
    ...options,
    settings: { RetryTimes: '0', ModelRatio: JSON.stringify({ [model]: 1 }), ...options.settings },
  });
  if (ollama === undefined) throw new Error('There is no Ollama');
  return { scene, ollama, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

async function openBedrock(model: string): Promise<{ scene: RelayScene; bedrock: FakeBedrock } & AsyncDisposable> {
  let bedrock: FakeBedrock | undefined;
  const scene = await openScene({
    channels: [{ models: model }],
    front: async (url) => (bedrock = await startFakeBedrock(url)),
    settings: { RetryTimes: '0', ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  if (bedrock === undefined) throw new Error('There is no Bedrock');
  return { scene, bedrock, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

async function refusalOf(answer: Response): Promise<string> {
  const text = await answer.text();
  expect(answer.status, text).toBe(400);
  return text;
}

describe('pictures by address', () => {
  it.each(everyCaller)('a caller of %s reaches Ollama with bytes', async (caller) => {
    await using opened = await openOllama();
    const { path, body } = callers[caller]('qwen3:8b', `${here}/picture`);
    const answer = await opened.scene.post(path, body);
    expect(answer.status, await answer.clone().text()).toBe(200);
    const sent = caller === 'chat' ? opened.scene.upstream.requests.at(-1)?.text : JSON.stringify(opened.ollama.taken.at(-1));
    expect(sent).toContain(picture);
    expect(sent).not.toContain(publicName);
    expect(internet.visits).toMatchObject([{ method: 'GET', path: '/picture' }]);
    expect(internet.connections).toEqual([`${publicAddress}:443`]);
    await opened.scene.checkBooks();
  });

  it.each(everyCaller)('a caller of %s reaches Claude on Bedrock with bytes', async (caller) => {
    await using opened = await openBedrock('claude-sonnet-4-5');
    const { path, body } = callers[caller]('claude-sonnet-4-5', `${here}/picture`);
    const answer = await opened.scene.post(path, body);
    expect(answer.status, await answer.clone().text()).toBe(200);
    expect(JSON.stringify(opened.bedrock.taken.at(-1))).toContain(`{"type":"base64","media_type":"image/png","data":"${picture}"}`);
  });

  it.each(everyCaller)('a caller of %s reaches Converse with bytes', async (caller) => {
    await using opened = await openBedrock('us.amazon.nova-pro-v1:0');
    const { path, body } = callers[caller]('us.amazon.nova-pro-v1:0', `${here}/picture`);
    const answer = await opened.scene.post(path, body);
    expect(answer.status, await answer.clone().text()).toBe(200);
    expect(JSON.stringify(opened.bedrock.taken.at(-1))).toContain(`{"image":{"format":"png","source":{"bytes":"${picture}"}}}`);
  });

  it.each(['chat', 'responses', 'claude', 'interactions'] as const)(
    'a caller of %s reaches Gemini with bytes and their type',
    async (caller) => {
      const model = 'gemini-2.5-flash';
      await using scene = await openScene({ channels: [{ type: 24, models: model }] });
      const { path, body } = callers[caller](model, `${here}/picture`);
      expect((await scene.post(path, body)).status).toBe(200);
      expect(scene.upstream.requests.at(-1)?.text).toContain(`{"inlineData":{"mimeType":"image/png","data":"${picture}"}}`);
    },
  );

  it('what the provider looks up itself is left to it', async () => {
    await using scene = await openScene({ channels: [{ models: 'gpt-4o-mini' }, { type: 24, models: 'gemini-2.5-flash' }] });
    await scene.chat({ ...chatImage(`${here}/a.png`) });
    expect(scene.upstream.requests.at(-1)?.text).toContain(`${here}/a.png`);
    const film = 'https://www.youtube.com/watch?v=9hE5-98ZeCg';
    await scene.post('/v1/chat/completions', { model: 'gemini-2.5-flash', ...chatImage(film) });
    expect(scene.upstream.requests.at(-1)?.text).toContain(`{"fileData":{"fileUri":"${film}"}}`);
    expect(internet.visits).toEqual([]);
  });

  it('Gemini gets the address of a known type where its bytes cannot be had here', async () => {
    await using scene = await openScene({ channels: [{ type: 24, models: 'gemini-2.5-flash,gemini-2.0-flash' }] });
    const url = `${here}/gone.png`;
    expect((await scene.post('/v1/chat/completions', { model: 'gemini-2.5-flash', ...chatImage(url) })).status).toBe(200);
    expect(scene.upstream.requests.at(-1)?.text).toContain(`{"fileData":{"mimeType":"image/png","fileUri":"${url}"}}`);
    const early = await scene.post('/v1/chat/completions', { model: 'gemini-2.0-flash', ...chatImage(url) });
    expect(await refusalOf(early)).toContain('media_not_fetched');
  });

  it('one that stands there twice is fetched once, and one without TLS is fetched too', async () => {
    await using plain = await startFakeInternet({ isPlain: true });
    plain.serve(serveContents);
    await using opened = await openOllama({ network: plain.network });
    const part = { type: 'image_url', image_url: { url: `http://${publicName}/picture` } };
    const content = [part, requested, part];
    const answer = await opened.scene.post('/v1/chat/completions', { model: 'qwen3:8b', messages: [{ role: 'user', content }] });
    expect(answer.status).toBe(200);
    expect(plain.visits).toHaveLength(1);
    expect(opened.scene.upstream.requests.at(-1)?.text?.split(picture)).toHaveLength(3);
  });

  it('an edit by address reaches a provider that takes pictures alone', async () => {
    const model = 'gemini-2.5-flash-image';
    await using scene = await openScene({ channels: [{ type: 24, models: model }], settings: { RetryTimes: '0' } });
    await scene.post('/v1/images/edits', { model, prompt: 'a moon', images: [{ image_url: `${here}/a.png` }] });
    expect(scene.upstream.requests.at(-1)?.text).toContain(`{"inlineData":{"mimeType":"image/png","data":"${picture}"}}`);
  });
});

describe('sounds and documents by address', () => {
  it('a sound reaches Gemini as bytes', async () => {
    const model = 'gemini-2.5-flash';
    await using scene = await openScene({ channels: [{ type: 24, models: model }] });
    const part = { type: 'input_audio', input_audio: { data: `${here}/bell.mp3`, format: 'mp3' } };
    await scene.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: [requested, part] }] });
    expect(scene.upstream.requests.at(-1)?.text).toContain(
      `{"inlineData":{"mimeType":"audio/mp3","data":"${contents['/bell.mp3']?.base64}"}}`,
    );
  });

  it('a sound that cannot be fetched reaches Gemini by its address, and a film’s sound as what it is', async () => {
    const model = 'gemini-2.5-flash';
    await using scene = await openScene({ channels: [{ type: 24, models: model }] });
    const sent = async (data: string, format: string) => {
      const part = { type: 'input_audio', input_audio: { data, format } };
      await scene.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: [requested, part] }] });
      return scene.upstream.requests.at(-1)?.text;
    };
    expect(await sent(`${here}/gone.wav`, 'wav')).toContain(`{"fileData":{"mimeType":"audio/wav","fileUri":"${here}/gone.wav"}}`);
    expect(await sent('https://youtu.be/9hE5', 'mp3')).toContain('{"fileData":{"fileUri":"https://youtu.be/9hE5"}}');
    expect(await sent(`${here}/bell.mp4`, 'm4a')).toContain('{"inlineData":{"mimeType":"audio/m4a","data":"');
  });

  it('a document of a caller of Claude reaches a chat completion as a file', async () => {
    await using scene = await openScene();
    const content = [{ type: 'document', source: { type: 'url', url: `${here}/tides.pdf` } }];
    const body = { model: 'gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content }] };
    expect((await scene.post('/v1/messages', body)).status).toBe(200);
    expect(scene.upstream.requests.at(-1)?.text).toContain(`data:application/pdf;base64,${pdf}`);
  });

  it('a picture is no document, and a film no file of a chat', async () => {
    await using scene = await openScene();
    const content = [{ type: 'document', source: { type: 'url', url: `${here}/a.png` } }];
    const asClaude = await scene.post('/v1/messages', { model: 'gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content }] });
    expect(await refusalOf(asClaude)).toContain('image/png');
    const parts = [{ fileData: { fileUri: `${here}/bell.mp4` } }];
    const asGemini = await scene.post('/v1beta/models/gpt-4o-mini:generateContent', { contents: [{ role: 'user', parts }] });
    expect((await asGemini.json()) as unknown).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
    expect(scene.upstream.requests).toEqual([]);
  });

  it('a text is told as one, and words that the site blocks are found in it', async () => {
    await using opened = await openBedrock('claude-sonnet-4-5');
    const content = [{ type: 'input_file', file_url: `${here}/notes.txt` }];
    const body = { model: 'claude-sonnet-4-5', input: [{ role: 'user', content }] };
    expect((await opened.scene.post('/v1/responses', body)).status).toBe(200);
    expect(JSON.stringify(opened.bedrock.taken.at(-1))).toContain('{"type":"text","media_type":"text/plain","data":"High water at noon"}');
    await setOption(opened.scene.app, 'SensitiveWords', 'high water');
    expect(await refusalOf(await opened.scene.post('/v1/responses', body))).toContain('sensitive_words_detected');
  });
});

describe('what is not fetched', () => {
  it.each([
    ['a private address', 'https://127.0.0.1/a.png', 'not of the public internet'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data/', 'not of the public internet'],
    ['a private address of IPv6', 'http://[::ffff:10.0.0.1]/a.png', 'not of the public internet'],
    ['a port of mail', `http://${publicName}:25/a.png`, 'port'],
    ['a page', `${here}/page`, 'text/html'],
    ['a drawing', `${here}/drawing`, 'image/svg+xml'],
    ['a file that is gone', `${here}/gone`, 'status 404'],
    ['a name that nobody has', 'https://nowhere.example/a.png', 'not known'],
  ])('%s', async (_what, url, reason) => {
    await using opened = await openOllama();
    const before = await opened.scene.balance();
    const answer = await opened.scene.post('/v1/chat/completions', { model: 'qwen3:8b', ...chatImage(url) }, { 'accept-language': 'en' });
    const text = await refusalOf(answer);
    expect(text).toContain(reason);
    expect(text).toContain('"code":"media_not_fetched"');
    expect(opened.scene.upstream.requests).toEqual([]);
    expect(await opened.scene.balance()).toBe(before);
    await opened.scene.checkBooks();
  });

  it('a redirect to a private address, and a name that has one among its addresses', async () => {
    await using opened = await openOllama();
    internet.serve((_visit, response) => response.writeHead(302, { location: 'https://10.0.0.7/a.png' }).end());
    internet.name('mixed.example', [publicAddress, '192.168.0.4']);
    for (const url of [`${here}/a.png`, 'https://mixed.example/a.png']) {
      const answer = await opened.scene.post('/v1/chat/completions', { model: 'qwen3:8b', ...chatImage(url) });
      expect(await refusalOf(answer)).toContain('media_not_fetched');
    }
    expect(internet.connections).toEqual([`${publicAddress}:443`]);
  });

  it('is in its caller’s log with the reason', async () => {
    await using opened = await openOllama();
    const { scene } = opened;
    await scene.post('/v1/chat/completions', { model: 'qwen3:8b', ...chatImage('https://10.0.0.7/a.png?key=secret') });
    const row = await until(async () => (await scene.app.context.db.collection('logs').first({})) ?? null);
    expect(row).toMatchObject({ type: LogType.refusal, quota: 0, token_id: scene.token.id, model_name: 'qwen3:8b' });
    expect(row.other).toMatchObject({ refusal: { code: 'media_not_fetched', status: 400, count: 1 } });
    expect(JSON.stringify(row.other)).toContain('https://10.0.0.7/a.png cannot be fetched');
    expect(JSON.stringify(row.other)).not.toContain('secret');
  });

  it('more than a file may have, told or not', async () => {
    await using opened = await openOllama({ env: { MAX_FILE_DOWNLOAD_MB: '1' } });
    let written = 0;
    internet.serve(({ path }, response) => {
      response.writeHead(200, { 'content-type': 'image/png', ...(path === '/told' ? { 'content-length': '2000000' } : {}) });
      const part = Buffer.alloc(64 * 1024, 1);
      const write = () => {
        while (!response.destroyed && written < 100_000_000) {
          written += part.length;
          if (!response.write(part)) return void response.once('drain', write);
        }
      };
      response.on('error', () => undefined);
      write();
    });
    for (const path of ['/told', '/untold']) {
      const answer = await opened.scene.post(
        '/v1/chat/completions',
        { model: 'qwen3:8b', ...chatImage(`${here}${path}`) },
        { 'accept-language': 'en' },
      );
      expect(await refusalOf(answer)).toContain('larger than 1 MB');
    }
    expect(written).toBeLessThan(50_000_000);
    expect(opened.scene.app.context.bodies.bytes).toBe(0);
  });

  it('more addresses than a request may have, and any where the operator wants none', async () => {
    await using opened = await openOllama({ env: { MAX_FILE_DOWNLOAD_MB: '0' } });
    const content = Array.from({ length: 33 }, (_, index) => ({ type: 'image_url', image_url: { url: `${here}/${index}` } }));
    const many = await opened.scene.post('/v1/chat/completions', { model: 'qwen3:8b', messages: [{ role: 'user', content }] });
    expect(await refusalOf(many)).toContain('32');
    const one = await opened.scene.post(
      '/v1/chat/completions',
      { model: 'qwen3:8b', ...chatImage(`${here}/a.png`) },
      { 'accept-language': 'en' },
    );
    expect(await refusalOf(one)).toContain('fetches none');
    expect(internet.visits).toEqual([]);
  });

  it('a channel that looks addresses up itself is asked where another one’s cannot be fetched', async () => {
    await using opened = await openOllama({ settings: { RetryTimes: '2' } });
    const { scene } = opened;
    await scene.addChannel({ type: 1, base_url: scene.upstream.url, models: 'qwen3:8b', priority: -1 });
    expect((await scene.post('/v1/chat/completions', { model: 'qwen3:8b', ...chatImage(`${here}/gone`) })).status).toBe(200);
    expect(scene.upstream.requests).toHaveLength(1);
    expect(scene.upstream.requests[0]?.text).toContain(`${here}/gone`);
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ attempts: [{ channel: scene.channelIds.length + 1 }] });
  });

  it('a caller who leaves ends what is fetched for it', async () => {
    await using opened = await openOllama();
    internet.serve((_visit, response) => void response.writeHead(200, { 'content-type': 'image/png' }).write('a'));
    const leaving = new AbortController();
    const body = { model: 'qwen3:8b', ...chatImage(`${here}/slow.png`) };
    const requesting = opened.scene.post('/v1/chat/completions', body, {}, leaving.signal).catch(() => 'gone');
    await until(() => (internet.visits.length > 0 ? true : null));
    leaving.abort();
    expect(await requesting).toBe('gone');
    await until(() => (internet.open() === 0 ? true : null));
    await until(() => (opened.scene.app.context.bodies.bytes === 0 ? true : null));
    expect(opened.scene.upstream.requests).toEqual([]);
    await opened.scene.checkBooks();
  });
});

describe.each(oneEngine)('money on $kind', (engine) => {
  it('what was fetched is reserved and paid for as what it is', async () => {
    let bedrock: FakeBedrock | undefined;
    const model = 'us.amazon.nova-pro-v1:0';
    // A hundred pages, by their length.
    internet.serve((_visit, response) => {
      response
        .writeHead(200, { 'content-type': 'application/pdf' })
        .end(Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(1_000_000, 32)]));
    });
    const settings = { RetryTimes: '0', ModelRatio: JSON.stringify({ [model]: 1 }) };
    await using scene = await createScene(engine, {
      network: internet.network,
      channels: [{ models: model }],
      front: async (url) => (bedrock = await startFakeBedrock(url)),
      settings,
      quota: 30_000,
    });
    const { db, changes } = scene.app.context;
    const content = [requested, { type: 'file', file: { file_data: `${here}/book.pdf` } }];
    const call = (stream = false) =>
      scene.post('/v1/chat/completions', { model, stream, max_tokens: 10, messages: [{ role: 'user', content }] });
    const poor = await call();
    expect(poor.status, await poor.clone().text()).toBe(403);
    expect(bedrock?.taken).toEqual([]);
    expect(await scene.balance()).toBe(30_000);
    await db.collection('users').patch({ id: scene.user.id }, { set: { quota: 5_000_000 } });
    await changes.announce('user', scene.user.id);
    // The fetched content is charged as prompt, with or without a reported usage.
    scene.upstream.behave({ pieces: ['a', 'b', 'c'], cutAfter: 3 });
    const cut = await call(true);
    await cut.text();
    const [row] = await scene.logs(1);
    expect(row?.prompt_tokens).toBeGreaterThan(30_000);
    expect(row?.quota).toBeGreaterThan(30_000);
  });

  it('the worker of the operator fetches where one is named', async () => {
    await using plain = await startFakeInternet({ isPlain: true });
    plain.serve((_visit, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(picture, 'base64')));
    plain.name('worker.internal', ['10.1.2.3']);
    const scene = await createScene(engine, {
      network: plain.network,
      channels: [{ type: 24, models: 'gemini-2.5-flash' }],
      settings: { RetryTimes: '0', WorkerUrl: 'http://worker.internal:8787' },
    });
    await setOption(scene.app, 'WorkerValidKey', scene.app.context.secrets.encrypt('w-key', 'setting'));
    await using _scene = scene;
    const call = (url: string) => scene.post('/v1/chat/completions', { model: 'gemini-2.5-flash', ...chatImage(url) });
    const url = 'https://pictures.example/picture?sign=a';
    expect((await call(url)).status).toBe(200);
    expect(plain.visits).toMatchObject([{ method: 'POST', path: '/', text: JSON.stringify({ url, key: 'w-key' }) }]);
    expect(scene.upstream.requests.at(-1)?.text).toContain(picture);
    expect(await refusalOf(await call('http://example.com/picture'))).toContain('media_not_fetched');
    expect(await refusalOf(await call('https://10.0.0.1/picture'))).toContain('media_not_fetched');
    expect(plain.visits).toHaveLength(1);
  });
});
