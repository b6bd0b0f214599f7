// Whatever comes in wrong leaves as a clear 4xx in the caller's language, and nothing is changed.
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const [engine] = oneEngine;
if (engine === undefined) throw new Error('No engine to test on');
const english = { headers: { 'accept-language': 'en-US,en;q=0.9' } };

const requestId = /\r\nx-oneapi-request-id: \d{15,24}[0-9A-Za-z]{8}\r\n/i;

/** Sends bytes as they are and returns what comes back until the connection ends. */
async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe('bad input', () => {
  it.each([
    ['/api/user/login', { username: { $ne: '' }, password: { $ne: '' } }, 'username'],
    ['/api/user/login', { username: ['root'], password: 'x' }, 'username'],
    ['/api/user/login', { username: 1, password: 'x' }, 'username'],
    ['/api/user/login', { username: 'x'.repeat(201), password: 'x' }, 'username'],
    ['/api/user/login', { username: 'root' }, 'password'],
    ['/api/user/login', { username: 'root', password: null }, 'password'],
    ['/api/user/register', { username: 'mei', password: { $gt: '' } }, 'password'],
    ['/api/setup', { username: { $regex: '' } }, 'username'],
    ['/api/setup', { SelfUseModeEnabled: 'yes' }, 'SelfUseModeEnabled'],
  ])('%s refuses %j and names the field in both languages', async (path, body, field) => {
    await using app = await createTestApp(engine);
    const zh = await app.anonymous().post(path, body);
    expect(zh).toMatchObject({ status: 200, success: false, code: 'invalid_field', field });
    expect(zh.message).toMatch(/^无效的参数：/);
    const en = await app.anonymous().post(path, body, english);
    expect(en).toMatchObject({ status: 200, success: false, code: 'invalid_field', field });
    expect(en.message).toMatch(/^Invalid parameter: /);
    expect(en.message).not.toMatch(/\p{Script=Han}/u);
    expect(await app.context.db.collection('users').count({})).toBe(0);
  });

  it.each([
    [
      '/api/token/',
      { name: 'x', remain_quota: -1 },
      '剩余额度（remain_quota）不能小于 0',
      'remaining quota (remain_quota) must be at least 0',
    ],
    [
      '/api/token/',
      { name: 'x', remain_quota: 0.5 },
      '剩余额度（remain_quota）必须是整数',
      'remaining quota (remain_quota) must be a whole number',
    ],
    [
      '/api/token/',
      { name: 'x', remain_quota: '5' },
      '剩余额度（remain_quota）必须是数字',
      'remaining quota (remain_quota) must be a number',
    ],
    ['/api/token/', { name: 'x', group: 'g'.repeat(65) }, '分组（group）最多 64 个字符', 'group must have at most 64 characters'],
    [
      '/api/token/',
      { name: 'x', unlimited_quota: 1 },
      '无限额度（unlimited_quota）只能是 true 或 false',
      'unlimited quota (unlimited_quota) must be true or false',
    ],
    ['/api/token/', { remain_quota: 1 }, '名称（name）不能缺少', 'name is required'],
    ['/api/token/batch', { ids: [] }, '编号列表（ids）至少要有 1 项', 'list of numbers (ids) must have at least 1 entry'],
    ['/api/token/batch', { ids: 3 }, '编号列表（ids）必须是数组', 'list of numbers (ids) must be a list'],
    ['/api/token/batch', { ids: [1, 0] }, '编号列表（ids.1）不能小于 1', 'list of numbers (ids.1) must be at least 1'],
    [
      '/api/user/manage',
      { id: 1, action: 'crown' },
      '操作（action）只能是 promote、demote、disable、enable、delete',
      'action must be one of promote, demote, disable, enable, delete',
    ],
    ['/api/user/', { username: 'mei', password: 'long enough', role: { $gt: 1 } }, '角色（role）必须是数字', 'role must be a number'],
  ])('%s says of %j which field it is and what is allowed', async (path, body, zh, en) => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    expect((await root.post(path, body)).message).toBe(`无效的参数：${zh}`);
    expect((await root.post(path, body, english)).message).toBe(`Invalid parameter: ${en}`);
  });

  it('says so of addresses, settings and names, too', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    expect((await root.get('/api/token/abc', english)).message).toBe('Invalid URL (GET /api/token/abc)');
    const value = await root.put('/api/option/', { key: 'SystemName', value: { a: 1 } });
    expect(value.message).toBe('无效的参数：值（value）必须是文本、数字或 true / false');
    const name = { username: 'x'.repeat(30), password: 'long enough' };
    expect((await root.post('/api/user/', name)).message).toMatch(/^输入不合法 用户名最多 \d+ 个字符$/);
    expect((await root.post('/api/user/', name, english)).message).toMatch(/^Invalid input: username must have at most \d+ characters$/);
  });

  it.each([
    ['{"username":', 'invalid_json', '请求体不是合法的 JSON：第 1 行第 13 列'],
    ['{"username": "root",\n "password": none}', 'invalid_json', '请求体不是合法的 JSON：第 2 行第 14 列'],
    ['', 'body_empty', '请求体为空，应为 JSON'],
    [' \n', 'body_empty', '请求体为空，应为 JSON'],
    ['[1,2]', 'invalid_parameter', '无效的参数'],
    ['null', 'invalid_parameter', '无效的参数'],
    ['"text"', 'invalid_parameter', '无效的参数'],
    [new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 'invalid_utf8', '请求体不是合法的 UTF-8 文本'],
    ['{"username":"\\ud83d\\ude00\\ud800","password":"x"}', 'invalid_utf8', '请求体不是合法的 UTF-8 文本'],
    ['{"username":"x","password":"x","\\uDC00":[{"a":1}]}', 'invalid_utf8', '请求体不是合法的 UTF-8 文本'],
  ])('a body of %j is refused', async (rawBody, code, message) => {
    await using app = await createTestApp(engine);
    const answer = await app.anonymous().post('/api/user/login', undefined, { rawBody });
    // What could be read and is refused is 200: old clients lose the text of a 400.
    expect(answer).toMatchObject({ status: code === 'invalid_parameter' ? 200 : 400, success: false, code, message });
  });

  it('escaped characters are read; a body that is nested too deep, or of too many parts, is refused', async () => {
    await using app = await createTestApp(engine);
    const send = (rawBody: string) => app.anonymous().post('/api/user/login', undefined, { rawBody });
    expect(await send('{"username":"\\ud83d\\ude00","password":"\\\\ud800"}')).toMatchObject({ status: 200, code: 'setup_missing' });
    const nested = (levels: number) => `{"username":"mei","password":"x","more":${'['.repeat(levels)}1${']'.repeat(levels)}}`;
    expect(await send(nested(99))).toMatchObject({ status: 200, code: 'setup_missing' });
    expect(await send(nested(100))).toMatchObject({ status: 400, code: 'body_too_deep' });
    expect(await send(nested(100_000))).toMatchObject({ status: 400, code: 'body_too_deep' });
    const parts = `{"username":"mei","password":"x","more":[${'{},'.repeat(200_000)}{}]}`;
    expect(await send(parts)).toMatchObject({ status: 413, code: 'body_too_complex' });
  });

  it('a body beyond the limit is refused, declared or not, packed or not, and the connection still serves', async () => {
    await using app = await createTestApp(engine);
    const large = JSON.stringify({ username: 'x'.repeat(1024 * 1024), password: 'x' });
    const declared = await app.anonymous().post('/api/user/login', undefined, { rawBody: large });
    expect(declared).toMatchObject({ status: 413, code: 'body_too_large' });
    const packed = await app
      .anonymous()
      .post('/api/user/login', undefined, { rawBody: gzipSync(large), headers: { 'content-encoding': 'gzip' } });
    expect(packed).toMatchObject({ status: 413, code: 'body_too_large' });
    const chunk = 'x'.repeat(64 * 1024);
    const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(20);
    const head = 'POST /api/user/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await sendRaw(app.port, `${head}${chunks}0\r\n\r\n${next}`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('body_too_large');
    expect(answer).toContain('HTTP/1.1 200 ');
  });

  it('a packed body is read, a broken or unknown packing refused', async () => {
    await using app = await createTestApp(engine);
    const send = (rawBody: Uint8Array | string, encoding: string) =>
      app.anonymous().post('/api/user/login', undefined, { rawBody, headers: { 'content-encoding': encoding } });
    expect(await send(gzipSync('{"username":"nobody","password":"x"}'), 'gzip')).toMatchObject({ status: 200, code: 'setup_missing' });
    expect(await send('not packed', 'gzip')).toMatchObject({ status: 400, code: 'broken_encoding' });
    expect(await send('not packed', 'zstd')).toMatchObject({ status: 400, code: 'broken_encoding' });
    expect(await send('{}', 'compress')).toMatchObject({ status: 415, code: 'unsupported_encoding' });
    expect(await send(gzipSync(gzipSync('{}')), 'gzip, gzip')).toMatchObject({ status: 415, code: 'unsupported_encoding' });
  });

  it('odd header values change nothing', async () => {
    await using app = await createTestApp(engine);
    const client = await app.as(await app.createUser());
    const odd = {
      'accept-language': `${'zz-ZZ;q=2,'.repeat(400)}*`,
      'x-forwarded-for': "127.0.0.1, '; drop table users",
      'x-forwarded-proto': 'https',
      'user-agent': 'x'.repeat(2000),
      'if-none-match': '*',
    };
    expect(await client.get('/api/user/self', { headers: odd })).toMatchObject({ status: 200, success: true });
    for (const value of ['1e3', '0x10', '9'.repeat(400), '１', '-0', '1;2']) {
      const answer = await client.get('/api/user/self', { headers: { 'new-api-user': Buffer.from(value).toString('latin1') } });
      expect(answer).toMatchObject({ status: 401 });
    }
    expect(await client.get('/api/user/self', { headers: { cookie: `${'a=b; '.repeat(500)}session=x; session` } })).toMatchObject({
      status: 401,
    });
  });

  it('what is not HTTP is told so, and a header cannot carry a line break into an answer', async () => {
    await using app = await createTestApp(engine);
    expect(await sendRaw(app.port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [^]*"code":"invalid_parameter"/);
    expect(await sendRaw(app.port, 'GET /api/status HTTP/1.1\r\nHost: x\r\nNew-Api-User: 1\r\n injected: y\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(await sendRaw(app.port, 'nonsense\r\n\r\n')).toMatch(requestId);
    expect(await sendRaw(app.port, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    const path = '/api/%0d%0aSet-Cookie:%20session=evil';
    const answer = await sendRaw(app.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer.toLowerCase()).not.toContain('\nset-cookie');
  });

  it('a request without a host is refused in the shape of its callers, with a request id, one of HTTP/1.0 is not', async () => {
    await using app = await createTestApp(engine);
    for (const [target, head] of [
      ['/api/status', '{"success":false,'],
      ['/v1/models', '{"error":'],
    ] as const) {
      const answer = await sendRaw(app.port, `GET ${target} HTTP/1.1\r\nAccept-Language: en\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toMatch(requestId);
      expect(answer).toMatch(/\r\nconnection: close\r\n/i);
      expect(answer).toContain(head);
      expect(answer).toContain('The request has no Host header');
      expect(answer).toContain('"code":"host_missing"');
    }
    expect(await sendRaw(app.port, 'GET /api/status HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await sendRaw(app.port, 'GET /api/status HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('odd targets and hosts are answered, never with a fault', async () => {
    await using app = await createTestApp(engine);
    for (const target of [
      '//evil.example/api/status',
      '/api/../api/status',
      '/%',
      '/api/user/%',
      'http://other.example/api/status',
      '/api/status?a=%ff&b=%',
      '*',
    ]) {
      for (const host of ['x', 'a b', '[::1', 'x:99999']) {
        const answer = await sendRaw(app.port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        expect(answer, `${target} at ${host}`).toMatch(/^HTTP\/1\.1 (200|400|401|404|503) /);
        expect(answer, `${target} at ${host}`).not.toMatch(/    at /);
      }
    }
  });
});
