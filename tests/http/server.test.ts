// The shell around all calls: unknown paths, limits, health, console files, the API document, start and shutdown.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createClient } from '#tests/support/http-client.ts';
import { bareEnvironment } from '#tests/support/server-process.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const [engine] = oneEngine;
if (engine === undefined) throw new Error('No engine to test on');

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tidegate-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('server', () => {
  it('unknown paths of the API: 404 in the shape of their callers, not cached', async () => {
    await using app = await createTestApp(engine);
    for (const [method, target] of [
      ['GET', '/api/nothing'],
      ['DELETE', '/api/setup'],
      ['GET', '/v1/nothing'],
      ['POST', '/v1/models/gpt-4o'],
      ['GET', '/mj/x'],
    ] as const) {
      const answer = await app.anonymous().call(method, target);
      const message = `Invalid URL (${method} ${target})`;
      const error = { message, type: 'invalid_request_error', param: '', code: 'invalid_url' };
      expect(answer).toMatchObject({ status: 404, body: { error } });
      if (target.startsWith('/v1')) expect(Object.keys(Object(answer.body))).toEqual(['error']);
      else expect(answer.body).toMatchObject({ success: false, message, code: 'invalid_url' });
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    const google = await app.anonymous().post('/v1beta/nothing');
    expect(google).toMatchObject({ status: 404, body: { error: { code: 404, status: 'NOT_FOUND' } } });
    expect(await app.anonymous().post('/somewhere')).toMatchObject({ status: 404 });
  });

  it('every answer has a request id of its own', async () => {
    await using app = await createTestApp(engine);
    const client = app.anonymous();
    const answers = await Promise.all(
      ['/api/setup', '/api/user/self', '/api/x', '/v1/models', '/healthz', '/'].map((target) => client.get(target)),
    );
    const ids = answers.map((answer) => String(answer.headers['x-oneapi-request-id']));
    for (const id of ids) expect(id).toMatch(/^\d{15,24}[0-9A-Za-z]{8}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('calls answer with and without a trailing slash', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    for (const target of ['/api/user', '/api/user/', '/api/user/self', '/api/user/self/', '/api/user/1', '/api/user/1/']) {
      expect(await root.get(target), target).toMatchObject({ status: 200, success: true });
    }
  });

  it('limits all calls of an address over all processes, and says when to come back', async () => {
    const env = {
      GLOBAL_API_RATE_LIMIT_ENABLE: 'true',
      GLOBAL_API_RATE_LIMIT: '10',
      GLOBAL_API_RATE_LIMIT_DURATION: '60',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    await using app = await createTestApp(engine, { env });
    await using other = await createTestApp(engine, { env, database: app.database, clock: app.clock });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? app : other).anonymous().get('/api/setup')),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused).toMatchObject({ success: false, code: 'rate_limited', message: '请求过于频繁，请稍后再试' });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    // An IPv6 subscriber has a whole network of addresses, and one count.
    const from = (address: string) => app.anonymous().get('/api/setup', { headers: { 'x-forwarded-for': address } });
    for (let index = 0; index < 10; index += 1) expect(await from(`2001:db8:1:2::${index}`)).toMatchObject({ status: 200 });
    expect(await from('2001:db8:1:2:ffff::1')).toMatchObject({ status: 429 });
    expect(await from('2001:db8:1:3::1')).toMatchObject({ status: 200 });
    // Another address has its own count; the relay and the health check none.
    expect(await app.anonymous().get('/api/setup', { headers: { 'x-forwarded-for': '203.0.113.9' } })).toMatchObject({ status: 200 });
    expect(await app.anonymous().get('/healthz')).toMatchObject({ status: 200 });
    expect(await app.anonymous().get('/v1/models')).toMatchObject({ status: 401 });
    app.clock.advance(61_000);
    expect(await app.anonymous().get('/api/setup')).toMatchObject({ status: 200 });
  });

  it('counts whoever has signed in by account, and allows them more', async () => {
    const env = { GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GLOBAL_API_RATE_LIMIT: '4', GLOBAL_API_RATE_LIMIT_DURATION: '60' };
    await using app = await createTestApp(engine, { env });
    const one = await app.as(await app.createUser());
    const other = await app.as(await app.createUser());
    for (let index = 0; index < 20; index += 1) expect(await one.get('/api/user/self')).toMatchObject({ status: 200 });
    expect(await one.get('/api/user/self')).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(await other.get('/api/user/self')).toMatchObject({ status: 200 });
    // Wrong credentials count as their address.
    for (let index = 0; index < 4; index += 1) expect(await app.anonymous().get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await app.anonymous().get('/api/user/self')).toMatchObject({ status: 429 });
  });

  it('says once when a proxy forwards calls whose clients nobody told it to tell apart', async () => {
    await using app = await createTestApp(engine);
    await using trusting = await createTestApp(engine, { env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
    for (const [one, times] of [
      [app, 1],
      [trusting, 0],
    ] as const) {
      const warn = vi.spyOn(one.context.log, 'warn');
      await one.anonymous().get('/api/status');
      expect(warn).not.toHaveBeenCalled();
      for (let index = 0; index < 3; index += 1)
        await one.anonymous().get('/api/status', { headers: { 'x-forwarded-for': '203.0.113.9' } });
      expect(warn).toHaveBeenCalledTimes(times);
    }
  });

  it('foreign pages may call the API of keys, not that of the console', async () => {
    await using app = await createTestApp(engine);
    const headers = { origin: 'https://app.example', 'access-control-request-headers': 'authorization,content-type' };
    const preflight = await app.anonymous().call('OPTIONS', '/v1/chat/completions', undefined, { headers });
    expect(preflight).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization,content-type' },
    });
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
    expect(preflight.headers['x-oneapi-request-id']).toMatch(/^\d{15,24}[0-9A-Za-z]{8}$/);
    expect((await app.anonymous().get('/v1/models', { headers })).headers['access-control-allow-origin']).toBe('*');
    expect((await app.anonymous().get('/v1/models')).headers['access-control-allow-origin']).toBeUndefined();
    expect(await app.anonymous().call('OPTIONS', '/api/user/self', undefined, { headers })).toMatchObject({ status: 404 });
    expect((await app.anonymous().get('/api/setup', { headers })).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('long answers are packed for callers who can read that', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    for (let index = 0; index < 12; index += 1) await app.createUser();
    const read = (encoding: string) =>
      fetch(`${app.origin}/api/user/?page_size=20`, {
        headers: { cookie: root.cookie ?? '', 'new-api-user': String(root.userId), 'accept-encoding': encoding },
      });
    const packed = await read('gzip, deflate, br');
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.json()).toMatchObject({ success: true, data: { total: 13 } });
    for (const encoding of ['identity', 'gzip;q=0']) {
      const plain = await read(encoding);
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await plain.json()).toMatchObject({ success: true });
    }
  });

  it('health: 503 while the database does not answer', async () => {
    await using app = await createTestApp(engine);
    expect(await app.anonymous().get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    const { ping } = app.context.db;
    app.context.db.ping = () => Promise.reject(new DatabaseUnavailable('away'));
    expect(await app.anonymous().get('/healthz')).toMatchObject({ status: 503 });
    app.context.db.ping = ping;
    expect(await app.anonymous().get('/healthz')).toMatchObject({ status: 200 });
  });

  it('console: hashed assets for ever, pages asked for each time, every path that is not the API is the console', async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'assets'));
    await writeFile(path.join(folder, 'index.html'), '<!doctype html><title>console</title>');
    await writeFile(path.join(folder, 'assets/app-abc123.js'), `export const text = '${'x'.repeat(5000)}';`);
    await writeFile(path.join(folder, 'assets/built-abc123.js'), '/* as it was written */');
    await writeFile(path.join(folder, 'assets/built-abc123.js.gz'), gzipSync('/* by the build */'));
    await writeFile(path.join(path.dirname(folder), 'outside.txt'), 'not for you');
    await using app = await createTestApp(engine, { consoleFolder: folder });
    const client = app.anonymous();
    for (const target of ['/', '/login', '/user/edit/5', '/index.html', '/..%2foutside.txt', '/../outside.txt']) {
      const page = await client.get(target, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect(page, target).toMatchObject({ status: 200 });
      expect(page.body, target).toContain('<title>console</title>');
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'strict-origin-when-cross-origin',
      });
      const policy = String(page.headers['content-security-policy']);
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'self'");
      expect(policy).toContain("object-src 'none'");
    }
    // Where a person allows others something: in no frame, and without a referrer.
    for (const target of [
      '/auth?callback_url=x',
      '/auth/?callback_url=x',
      '/AUTH',
      '//auth',
      '/%61uth',
      '/auth%2F',
      '/oauth/authorize',
      '/oauth//authorize/',
      '/OAuth/Authorize',
      '/oauth%2fauthorize',
      '/device/',
      '/Device//',
    ]) {
      const { headers } = await client.get(target, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect(headers, target).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' });
      expect(headers['content-security-policy'], target).toContain("frame-ancestors 'none'");
    }
    const opened = { 'sec-fetch-mode': 'navigate' };
    expect(await client.get('/token', { headers: opened })).toMatchObject({ status: 200 });
    expect(await client.get('/')).toMatchObject({ status: 200 });
    // Probes, scrapers, and what an earlier version's page or another program looks for.
    for (const target of ['/healthy', '/old-worker.js', '/apple-touch-icon.png', '/favicon.ico', '/token']) {
      const refused = await client.get(target, { headers: { accept: '*/*' } });
      expect([target, refused.status, refused.headers['content-type']]).toEqual([target, 404, 'text/plain; charset=utf-8']);
      expect((await client.get(target, { headers: { accept: '*/*', 'sec-fetch-mode': 'no-cors' } })).status).toBe(404);
    }
    const asset = await client.get('/assets/app-abc123.js');
    expect(asset.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(asset.headers['content-length']).toBe('5023');
    const packed = await fetch(`${app.origin}/assets/app-abc123.js`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers.get('content-encoding')).toBe('br');
    expect(await packed.text()).toHaveLength(5023);
    // What the build has compressed is passed on as it is.
    const built = await fetch(`${app.origin}/assets/built-abc123.js`, { headers: { 'accept-encoding': 'gzip' } });
    expect([built.headers.get('content-encoding'), await built.text()]).toEqual(['gzip', '/* by the build */']);
    const etag = String(asset.headers.etag);
    expect(await client.get('/assets/app-abc123.js', { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304 });
    expect(await client.call('HEAD', '/assets/app-abc123.js')).toMatchObject({ status: 200, body: '' });
    // A page that was loaded before an update requests an asset that is gone: the response is never a page.
    expect(await client.get('/assets/app-old.js')).toMatchObject({ status: 404 });
  });

  it('console: the script of the first paint may run, by the hash that the build has counted', async () => {
    const folder = await temporaryFolder();
    const hash = "'sha256-qDXLxI7QSlP8+7yJ1/7aUTbCoh9cxKG1/Kj19phLf84='";
    await writeFile(path.join(folder, 'index.html'), '<!doctype html><script>1</script>');
    await writeFile(path.join(folder, 'content-policy.json'), JSON.stringify({ scripts: [hash] }));
    await using app = await createTestApp(engine, { consoleFolder: folder });
    const policy = String((await app.anonymous().get('/login')).headers['content-security-policy']);
    expect(policy).toContain(`script-src 'self' ${hash};`);
  });

  it('console: the widgets that are switched on may run, no others', async () => {
    await using app = await createTestApp(engine, { consoleFolder: await temporaryFolder() });
    const root = await app.setup();
    const policy = async () => String((await root.get('/')).headers['content-security-policy']);
    expect(await policy()).not.toContain('challenges.cloudflare.com');
    await root.put('/api/option/', { key: 'TurnstileSiteKey', value: 'a key' });
    // As an earlier version may have stored it.
    await app.context.db
      .collection('options')
      .insert({ id: 'TurnstileCheckEnabled', value: 'true', revision: 1, updated_at: 0, updated_by: 0 });
    await app.context.settings.reload();
    expect(await policy()).toContain('https://challenges.cloudflare.com');
  });

  it('console: says in clear text that it was not built', async () => {
    const folder = await temporaryFolder();
    await using app = await createTestApp(engine, { consoleFolder: path.join(folder, 'dist') });
    const answer = await app.anonymous().get('/');
    expect(answer).toMatchObject({ status: 503 });
    expect(answer.body).toContain('has not been built');
    await mkdir(path.join(folder, 'dist'));
    await writeFile(path.join(folder, 'dist/index.html'), 'built meanwhile');
    expect(await app.anonymous().get('/')).toMatchObject({ status: 200, body: 'built meanwhile' });
  });

  it('openapi: describes exactly what is mounted, inputs and answers included', async () => {
    await using app = await createTestApp(engine);
    const { status, body } = await app.anonymous().get('/api/openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      openapi: '3.1.0',
      paths: {
        '/api/user/login': {
          post: {
            requestBody: {
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: ['username', 'password'],
                    properties: { username: { type: 'string', maxLength: 200 } },
                  },
                },
              },
            },
          },
        },
        '/api/user/{id}': {
          get: {
            parameters: [{ name: 'id', in: 'path', required: true }],
            security: [
              { session: [], userId: [] },
              { accessToken: [], userId: [] },
            ],
          },
        },
        '/api/user/': { get: {}, post: {}, put: {} },
        '/api/setup': { get: {}, post: {} },
      },
    });
    expect(body).toMatchObject({
      components: {
        schemas: { Failure: { properties: { code: { enum: expect.arrayContaining(['revision_conflict', 'rate_limited']) } } } },
      },
    });
    const text = JSON.stringify(body);
    for (const reference of text.match(/"\$ref":"[^"]+"/g) ?? []) expect(reference).toBe('"$ref":"#/components/schemas/Failure"');
  });

  it('while it shuts down: open requests end, new ones are sent elsewhere', async () => {
    await using app = await createTestApp(engine);
    app.app.drain();
    const answer = await app.anonymous().get('/api/setup');
    expect(answer).toMatchObject({ status: 503, code: 'shutting_down' });
    expect(answer.headers.connection).toBe('close');
  });
});

const root = path.resolve(import.meta.dirname, '../..');
/** Milliseconds that some starts may take: a second of a processor each, which a busy machine does not have for a long time. */
const patience = 240_000;

interface Started {
  /** First line on standard output. */
  line: string;
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

function launch(env: Record<string, string>) {
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: root,
    env: { ...bareEnvironment, LOG_LEVEL: 'silent', HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, 'close').then(([code]: unknown[]) => (typeof code === 'number' ? code : null));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended, errors: () => errors };
}

async function start(env: Record<string, string>): Promise<Started> {
  const { child, ended, errors } = launch(env);
  const line = await Promise.race([
    once(child.stdout, 'data').then(([chunk]) => String(chunk).trim()),
    ended.then(() => Promise.reject(new Error(errors()))),
  ]);
  return {
    line,
    stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

describe('start and end', () => {
  it.each(['1', '2'])(
    'with %s process(es): one line says where the console is; SIGTERM ends it with 0, and the data is there again',
    async (WORKERS) => {
      const folder = await temporaryFolder();
      const env = { DATABASE_URL: `file:${folder}/data/tidegate.db`, WORKERS, ...(WORKERS === '1' ? {} : { PORT: '0' }) };
      const first = await start(env);
      expect(first.line).toMatch(/^Tidegate is at http:\/\/127\.0\.0\.1:\d+\/ - open it to set it up$/);
      expect((await stat(`${folder}/data/tidegate.key`)).mode & 0o777).toBe(0o600);
      const client = createClient(/http:\/\/[^/]+/.exec(first.line)?.[0] ?? '');
      const account = { username: 'root', password: 'correct horse', confirmPassword: 'correct horse' };
      expect(await client.post('/api/setup', account)).toMatchObject({ success: true });
      expect(await first.stop('SIGTERM')).toBe(0);

      const second = await start(env);
      expect(second.line).toMatch(/^Tidegate is at http:\/\/127\.0\.0\.1:\d+\/$/);
      const again = createClient(/http:\/\/[^/]+/.exec(second.line)?.[0] ?? '');
      expect(await again.post('/api/user/login', account)).toMatchObject({ success: true, data: { quota: 100_000_000 } });
      expect(await second.stop('SIGINT')).toBe(0);
    },
    patience,
  );

  it(
    'a client that keeps its connection does not hold up the end',
    async () => {
      const folder = await temporaryFolder();
      // Longer than the test may take: waiting for the connection would never end.
      const server = await start({ DATABASE_URL: `file:${folder}/tidegate.db`, SHUTDOWN_GRACE: '600' });
      const client = createClient(/http:\/\/[^/]+/.exec(server.line)?.[0] ?? '');
      const account = { username: 'root', password: 'long enough', confirmPassword: 'long enough' };
      expect(await client.post('/api/setup', account)).toMatchObject({ success: true });
      // Checking a password takes long enough to be under way when the signal comes.
      const answers = Array.from({ length: 4 }, () => client.post('/api/user/login', { username: 'mei', password: 'some password' }));
      await client.get('/api/status');
      expect(await server.stop('SIGTERM')).toBe(0);
      for (const answer of await Promise.all(answers)) expect([200, 503]).toContain(answer.status);
    },
    patience,
  );

  it.each([
    ['PORT', { PORT: 'http' }, /PORT must be a whole number/],
    ['SPOOL_DIR', { SPOOL_DIR: import.meta.filename }, /SPOOL_DIR: nothing can be stored in .*its folder cannot be written/],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'everybody' }, /TRUSTED_PROXIES must be/],
    ['SESSION_SECRET', { SESSION_SECRET: 'random_string_' }, /SESSION_SECRET must have at least 16/],
    ['DATABASE_URL', { DATABASE_URL: 'redis://x' }, /DATABASE_URL must begin with/],
    ['MongoDB without SESSION_SECRET', { DATABASE_URL: 'mongodb://127.0.0.1:1/x' }, /SESSION_SECRET must be set/],
    ['MongoDB that is not there', { DATABASE_URL: 'mongodb://127.0.0.1:1/x', SESSION_SECRET: 'x'.repeat(20) }, /cannot be reached/],
  ])(
    'a wrong configuration is one clear line and exit code 1: %s',
    async (_name, env, message) => {
      const folder = await temporaryFolder();
      const { ended, errors } = launch({ DATABASE_URL: `file:${folder}/tidegate.db`, ...env });
      expect(await ended).toBe(1);
      expect(errors().trim().split('\n')).toHaveLength(1);
      expect(errors()).toMatch(message);
    },
    patience,
  );

  it.each([
    ['below a folder that takes none', 'file:/proc/nope/deeper/x.db'],
    ['below a file', 'file:{folder}/plain/x.db'],
    ['a file that is no database', 'file:{folder}/plain'],
    ['a folder', 'file:{folder}'],
  ])(
    'a database that cannot be there is refused at once, by the name of the setting, and leaves no key file: %s',
    async (_name, url) => {
      const folder = await temporaryFolder();
      await writeFile(`${folder}/plain`, 'a letter to my grandmother');
      const { ended, errors } = launch({ DATABASE_URL: url.replace('{folder}', folder) });
      expect(await ended).toBe(1);
      expect(errors()).toMatch(/^Tidegate cannot start\. .*DATABASE_URL.*\n$/);
      expect(errors()).not.toContain('key file');
      expect(await readdir(folder)).toEqual(['plain']);
    },
    patience,
  );

  it(
    'a database whose key file is gone is refused, and no other key is made for it',
    async () => {
      const folder = await temporaryFolder();
      const url = `file:${folder}/tidegate.db`;
      await (await start({ DATABASE_URL: url })).stop('SIGTERM');
      await rename(`${folder}/tidegate.key`, `${folder}/backup`);
      const { ended, errors } = launch({ DATABASE_URL: url });
      expect(await ended).toBe(1);
      expect(errors()).toMatch(/^Tidegate cannot start\. The key file .*tidegate\.key is missing.*SESSION_SECRET.*\n$/);
      expect(await readdir(folder)).not.toContain('tidegate.key');
      await rename(`${folder}/backup`, `${folder}/tidegate.key`);
      await (await start({ DATABASE_URL: url })).stop('SIGTERM');
    },
    patience,
  );

  it(
    'a file that is not a database is left as it is, and so is one made with another key',
    async () => {
      const folder = await temporaryFolder();
      const file = `${folder}/tidegate.db`;
      await writeFile(file, 'a letter to my grandmother');
      const { ended, errors } = launch({ DATABASE_URL: `file:${file}` });
      expect(await ended).toBe(1);
      expect(errors()).toMatch(/^Tidegate cannot start\. .*not a database.*\n$/);
      expect(await readFile(file, 'utf8')).toBe('a letter to my grandmother');

      const good = `file:${folder}/good.db`;
      await (await start({ DATABASE_URL: good })).stop('SIGTERM');
      const other = launch({ DATABASE_URL: good, SESSION_SECRET: 'another key than that in the file' });
      expect(await other.ended).toBe(1);
      expect(other.errors()).toMatch(/^Tidegate cannot start\. The master key .* is not the one .*\n$/);
    },
    patience,
  );
});
