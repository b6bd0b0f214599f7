// Whatever any call of the console is sent, it is answered with a word on what is wrong, never with a fault of the server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleCall, consoleCalls, endlessCalls, nameOf } from '#tests/conformance/console-calls.ts';
import { type MountedCall, mountedCalls, type Property } from '#tests/conformance/mounted-calls.ts';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import type { CallOptions, TestClient, TestResponse } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** In place of every field: other kinds, operators, borders of numbers, what text can hold. */
const oddValues: readonly unknown[] = [
  { $gt: '' },
  { $ne: null },
  { constructor: { prototype: { admin: true } } },
  [],
  [{ $regex: '.*' }],
  [null],
  true,
  null,
  0,
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  '',
  ' ',
  '0',
  '-1',
  'true',
  '__proto__',
  "'; drop table users; --",
  '{"$gt":""}',
  '\u0000',
  '\u202E\uFEFF\uFFFF',
  '💰'.repeat(40),
  'x'.repeat(70_000),
  `${'['.repeat(60)}${']'.repeat(60)}`,
];
const oddQueries = ['', '-1', '0.5', '99999999999999999999', 'NaN', '$ne', '%00', '%ff%fe', '{"$gt":1}', '中文', 'x'.repeat(3000)];
const oddPlaces = ['0', '-1', '1.5', 'abc', '%00', '%2e%2e', '99999999999999999999', '1%20or%201=1', 'constructor', '{"$gt":0}'];

const wholeBodies: readonly { name: string; rawBody: string | Uint8Array; headers?: Record<string, string> }[] = [
  { name: 'nothing', rawBody: '' },
  { name: 'null', rawBody: 'null' },
  { name: 'a list', rawBody: '[{}]' },
  { name: 'a number', rawBody: '1' },
  { name: 'half an object', rawBody: '{"id":' },
  { name: 'bad UTF-8', rawBody: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
  { name: 'half a surrogate pair', rawBody: '{"name":"\\ud800","key":"\\ud800"}' },
  { name: 'a prototype', rawBody: '{"__proto__":{"role":100},"constructor":{"prototype":{"role":100}}}' },
  { name: 'keys with dots and dollars', rawBody: '{"$where":"1","a.b":1,"$set":{"role":100}}' },
  { name: '10 MB', rawBody: `{"name":"${'x'.repeat(10 * 1024 * 1024)}"}` },
  { name: '10,000 levels', rawBody: `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
  { name: 'not what it says it is', rawBody: 'plain', headers: { 'content-encoding': 'gzip' } },
  { name: 'a form', rawBody: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
];

const oddInput = { values: oddValues, queries: oddQueries, places: oddPlaces, bodies: wholeBodies };
const oddForDatabases: typeof oddInput = {
  values: oddValues.filter((value) => /\$|proto|drop|null/.test(JSON.stringify(value))),
  queries: oddQueries.filter((query) => query.includes('$') || query === '%00'),
  places: oddPlaces.filter((place) => place.includes('$') || place === '999999'),
  bodies: wholeBodies.filter(({ name }) => name.includes('prototype') || name.includes('dollars')),
};

describe.each(engines)('odd input on $kind', (engine) => {
  let app: TestApp;
  let mounted: Map<string, MountedCall>;
  let tester: TestClient | undefined;
  /** Values that a database might interpret are tried on each; the rest is rejected before any query. */
  const { values, queries, places, bodies } = engine === embeddedEngine ? oddInput : oddForDatabases;
  const calls = consoleCalls.filter((call) => !endlessCalls.includes(nameOf(call))).map((call) => [nameOf(call), call] as const);
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.setup();
    mounted = await mountedCalls(app);
  });
  afterAll(() => app.close());

  /** Sends as a super administrator of its own, signed in again if a call ended the session: nothing stops the input before it is read. */
  async function send(call: ConsoleCall, place: string, body: unknown, options?: CallOptions): Promise<TestResponse> {
    const answer = await (tester ??= await signInTester()).call(call.method, place, body, options);
    if (answer.status !== 401) return answer;
    tester = await signInTester();
    return tester.call(call.method, place, body, options);
  }

  async function signInTester(): Promise<TestClient> {
    const [existing] = await app.context.db.collection('users').find({ username: 'tester' }, { limit: 1 });
    return app.as(existing ?? (await app.createUser({ username: 'tester', role: 100 })));
  }

  function expectSound(answer: TestResponse, what: string): void {
    expect(answer.status, `${what}: ${JSON.stringify(answer.body).slice(0, 300)}`).toBeLessThan(500);
    if (answer.success === false) {
      expect(answer.message, what).toBeTypeOf('string');
      expect(answer.message, what).not.toMatch(/\bat \S+ \(|node:|SQLITE|Mongo|undefined|\[object Object\]/);
    }
  }

  it.each(calls)('%s', async (name, call) => {
    const known = mounted.get(name);
    if (known === undefined) return;
    const place = call.path.replaceAll(/\{\w+\}/g, '999999');
    if (call.path.includes('{'))
      for (const odd of places) expectSound(await send(call, call.path.replaceAll(/\{\w+\}/g, odd), undefined), `${name} at ${odd}`);
    for (const field of [...Object.keys(known.query), 'toString'])
      for (const odd of queries)
        expectSound(await send(call, `${place}?${field}=${odd}`, undefined), `${name} with ${field}=${odd.slice(0, 40)}`);
    if (known.body === null) return;
    for (const { name: kind, ...options } of bodies) {
      const answer = await send(call, place, undefined, {
        ...options,
        headers: { 'content-type': 'application/json', ...options.headers },
      });
      expectSound(answer, `${name} with ${kind}`);
    }
    const usual = sampleOf(known.body);
    for (const field of Object.keys(known.body.properties ?? {})) {
      for (const odd of values) {
        const body = { ...(typeof usual === 'object' ? usual : {}), [field]: odd };
        expectSound(await send(call, place, body), `${name} with ${field} = ${JSON.stringify(odd)?.slice(0, 60)}`);
      }
    }
  });
});

/** A valid value of the kind, so that the odd field is the only one. */
function sampleOf(property: Property): unknown {
  if (property.enum !== undefined) return property.enum[0];
  const [first] = property.anyOf ?? [];
  if (first !== undefined) return sampleOf(first);
  switch (Array.isArray(property.type) ? property.type[0] : property.type) {
    case 'string':
      return 'sample';
    case 'integer':
    case 'number':
      return Math.max(1, property.minimum ?? 1);
    case 'boolean':
      return false;
    case 'array':
      return property.items === undefined ? [] : [sampleOf(property.items)];
    case 'object':
      return Object.fromEntries(Object.entries(property.properties ?? {}).map(([name, part]) => [name, sampleOf(part)]));
    default:
      return 'sample';
  }
}
