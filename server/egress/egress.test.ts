import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEgress, type EgressRequest } from '#server/egress/egress.ts';
import { type EgressReason, EgressRefusal } from '#server/egress/egress-refusal.ts';
import { type FakeInternet, publicAddress, publicName, startFakeInternet } from '#tests/support/fake-internet.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

const here = `https://${publicName}`;

function send(internet: FakeInternet, request: Partial<EgressRequest> = {}) {
  const defaults = { url: `${here}/hook`, method: 'POST', milliseconds: 5_000, maxBytes: 1_000, redirects: 3 } as const;
  return createEgress(internet.network).send({ ...defaults, ...request });
}

async function refusalOf(sending: Promise<unknown>): Promise<EgressReason> {
  const failure: unknown = await sending.then(
    () => new Error('It was answered'),
    (thrown: unknown) => thrown,
  );
  if (!(failure instanceof EgressRefusal)) throw failure;
  return failure.reason;
}

describe('guarded egress', () => {
  let distrust = () => {};
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  it('asks a public host over TLS, at the address that was judged', async () => {
    await using internet = await startFakeInternet();
    internet.serve((_visit, response) => response.writeHead(201, { 'x-here': 'yes' }).end('taken'));
    const answer = await send(internet, { url: `${here}:8443/hook?x=1`, headers: { 'x-mark': 'm' }, body: Buffer.from('{"a":1}') });
    expect(answer).toMatchObject({ status: 201, headers: { 'x-here': 'yes' }, body: Buffer.from('taken') });
    expect(internet.visits).toMatchObject([
      { method: 'POST', host: `${publicName}:8443`, path: '/hook?x=1', text: '{"a":1}', headers: { 'x-mark': 'm', 'content-length': '7' } },
    ]);
    expect(internet.connections).toEqual([`${publicAddress}:8443`]);
    expect(internet.lookups).toEqual([publicName]);
  });

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://017700000001/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.5/',
    'https://[fd00:ec2::254]/',
    'https://0.0.0.0/',
  ])('%s is refused, and nothing is connected to', async (url) => {
    await using internet = await startFakeInternet();
    expect(await refusalOf(send(internet, { url }))).toBe('private_address');
    expect(internet.connections).toEqual([]);
  });

  it('a name is refused when any of its addresses is not public', async () => {
    await using internet = await startFakeInternet();
    internet.name(publicName, [publicAddress, '10.0.0.5']);
    expect(await refusalOf(send(internet))).toBe('private_address');
    internet.name(publicName, ['2606:2800:220:1::1', '::1']);
    expect(await refusalOf(send(internet))).toBe('private_address');
    expect(internet.connections).toEqual([]);
  });

  it('rebinding: what the name says after it was judged does not matter', async () => {
    await using internet = await startFakeInternet();
    internet.name(publicName, [publicAddress], ['127.0.0.1']);
    await send(internet);
    expect(internet.lookups).toHaveLength(1);
    expect(internet.connections).toEqual([`${publicAddress}:443`]);
    // The next request resolves the name again.
    expect(await refusalOf(send(internet))).toBe('private_address');
    expect(internet.connections).toHaveLength(1);
  });

  it.each([
    ['a private address', 'https://169.254.169.254/', 'private_address'],
    ['a name of a private address', 'https://inside.example/', 'private_address'],
    ['a number that is one', 'https://0x7f.1/', 'private_address'],
    ['plain HTTP', 'http://93.184.216.34/', 'not_https'],
    ['another scheme', 'file:///etc/passwd', 'not_https'],
  ])('redirect to %s: refused', async (_what, location, reason) => {
    await using internet = await startFakeInternet();
    internet.name('inside.example', ['192.168.1.1']);
    internet.serve((_visit, response) => response.writeHead(307, { location }).end());
    expect(await refusalOf(send(internet))).toBe(reason);
    expect(internet.connections).toEqual([`${publicAddress}:443`]);
  });

  it('redirect rebinding: the same name is judged again at every hop', async () => {
    await using internet = await startFakeInternet();
    internet.name(publicName, [publicAddress], ['127.0.0.1']);
    internet.serve((_visit, response) => response.writeHead(308, { location: '/again' }).end());
    expect(await refusalOf(send(internet))).toBe('private_address');
    expect(internet.visits).toHaveLength(1);
  });

  it('redirects: a POST stays one or is not sent on; secrets stay with their origin; circles end', async () => {
    await using internet = await startFakeInternet();
    const headers = { Authorization: 'Bearer s', 'X-Webhook-Signature': 'f00', 'X-Mark': 'm' };
    internet.serve((visit, response) => {
      if (visit.path === '/hook') response.writeHead(307, { location: '/same' }).end();
      else if (visit.path === '/same') response.writeHead(308, { location: `${here}:8443/other` }).end();
      else response.end('arrived');
    });
    expect(await send(internet, { headers, body: Buffer.from('text') })).toMatchObject({ status: 200, body: Buffer.from('arrived') });
    expect(internet.visits).toMatchObject([
      { path: '/hook', method: 'POST', headers: { authorization: 'Bearer s' } },
      { path: '/same', method: 'POST', text: 'text', headers: { authorization: 'Bearer s', 'x-webhook-signature': 'f00' } },
      { path: '/other', method: 'POST', text: 'text', headers: { 'x-mark': 'm' } },
    ]);
    expect(internet.visits[2]?.headers).not.toHaveProperty('authorization');
    expect(internet.visits[2]?.headers).not.toHaveProperty('x-webhook-signature');
    internet.serve((_visit, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await send(internet)).toMatchObject({ status: 302 });
    internet.serve((_visit, response) => response.writeHead(307, { location: '/hook' }).end());
    expect(await refusalOf(send(internet))).toBe('too_many_redirects');
  });

  it('plain HTTP is for addresses of the operator only, and those may be private', async () => {
    await using internet = await startFakeInternet({ isPlain: true });
    internet.name('worker.lan', ['10.0.0.7']);
    expect(await refusalOf(send(internet, { url: 'http://worker.lan/' }))).toBe('not_https');
    expect(await send(internet, { url: 'http://worker.lan:8787/', isTrusted: true })).toMatchObject({ status: 200 });
    // No name server knows that one.
    expect(await send(internet, { url: 'http://localhost:8787/', isTrusted: true })).toMatchObject({ status: 200 });
    expect(internet.lookups).toEqual(['worker.lan']);
    expect(internet.connections).toEqual(['10.0.0.7:8787', '127.0.0.1:8787']);
  });

  it('what listens at a public address of this machine is a website, or is not asked', async () => {
    await using internet = await startFakeInternet({ isPlain: true });
    internet.name('six.example', ['2606:2800:220:1::9']);
    const network = { ...internet.network, own: () => [publicAddress, '2606:2800:220:1:0:0:0:9'] };
    const ask = (url: string, isTrusted = false) =>
      createEgress(network).send({ url, method: 'GET', milliseconds: 5_000, maxBytes: 1_000, redirects: 3, allowsPlain: true, isTrusted });
    expect(await refusalOf(ask(`http://${publicName}:9200/_search`))).toBe('private_address');
    expect(await refusalOf(ask('http://six.example:9200/'))).toBe('private_address');
    internet.serve((_visit, response) => response.writeHead(302, { location: `http://${publicName}:9200/` }).end());
    expect(await refusalOf(ask(`http://${publicName}/`))).toBe('private_address');
    internet.serve((_visit, response) => response.end('a page'));
    expect(await ask(`http://${publicName}/`)).toMatchObject({ status: 200 });
    expect(await ask(`http://${publicName}:9200/`, true)).toMatchObject({ status: 200 });
    internet.name('other.example', ['93.184.216.35']);
    expect(await ask('http://other.example:9200/')).toMatchObject({ status: 200 });
  });

  it('answers are bounded in size and time, and may be broken off', async () => {
    await using internet = await startFakeInternet();
    internet.serve((_visit, response) => response.end('x'.repeat(1_001)));
    expect(await refusalOf(send(internet))).toBe('too_large');
    expect(await send(internet, { maxBytes: 0 })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    internet.serve(() => undefined);
    expect(await refusalOf(send(internet, { milliseconds: 150 }))).toBe('timeout');
    internet.serve((_visit, response) => void response.writeHead(200).write('drip'));
    expect(await refusalOf(send(internet, { milliseconds: 150 }))).toBe('timeout');
    internet.serve((_visit, response) => void response.socket?.destroy());
    expect(await refusalOf(send(internet))).toBe('broken_answer');
    internet.silence(publicAddress);
    expect(await refusalOf(send(internet, { milliseconds: 150 }))).toBe('timeout');
  });

  it('an answer taken bit by bit may be read slowly, but its sender may not be slow', async () => {
    await using internet = await startFakeInternet();
    internet.serve((_visit, response) => void response.writeHead(200).write('drip'));
    const clock = vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const request = { url: here, method: 'GET', milliseconds: 5_000, maxBytes: 1_000, redirects: 0 } as const;
      const stream = await createEgress(internet.network).open(request);
      clock.advanceTimersByTime(60_000);
      expect(await stream.read()).toEqual(Buffer.from('drip'));
      clock.advanceTimersByTime(60_000);
      const reading = refusalOf(stream.read());
      clock.advanceTimersByTime(5_000);
      expect(await reading).toBe('timeout');
    } finally {
      clock.useRealTimers();
    }
  });

  it('who does not want the answer any more ends the request', async () => {
    await using internet = await startFakeInternet();
    const leaving = new AbortController();
    internet.serve(() => leaving.abort());
    expect(await refusalOf(send(internet, { signal: leaving.signal }))).toBe('timeout');
  });

  it('an unknown name, a wrong certificate and what is no address are told apart', async () => {
    await using internet = await startFakeInternet();
    expect(await refusalOf(send(internet, { url: 'https://nowhere.example/' }))).toBe('unknown_host');
    internet.name('other.example', [publicAddress]);
    expect(await refusalOf(send(internet, { url: 'https://other.example/' }))).toBe('tls');
    expect(internet.visits).toEqual([]);
    expect(await refusalOf(send(internet, { url: 'no address' }))).toBe('unknown_host');
  });
});
