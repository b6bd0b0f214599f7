import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDownloads } from '#server/egress/downloads.ts';
import { createEgress } from '#server/egress/egress.ts';
import { createBodies } from '#server/http/bodies.ts';
import { createSpool } from '#server/http/spool.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { type FakeInternet, publicName, startFakeInternet } from '#tests/support/fake-internet.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { sentPictures } from './sent-pictures.ts';

const png = Buffer.from('89504e470d0a1a0a00000000', 'hex');
const address = (path: string) => ({ url: `https://${publicName}${path}` });

function fetchingOf(internet: FakeInternet) {
  const downloads = createDownloads({ egress: createEgress(internet.network), settings: defaultSettings, mostBytes: 1_000 });
  const spool = createSpool({ folder: 'never-made', limits: { all: 0, perOwner: 0 }, log: pino({ level: 'silent' }) });
  const hold = createBodies({ all: 1_000_000, perOwner: 1_000_000, timeout: 60 }, spool).open('user:1');
  return { downloads, fetching: { owner: 'user:1', hold } };
}

describe('pictures by address, for a provider that fetches none', () => {
  let distrust = () => {};
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  it('are sent as data, and others as they are', async () => {
    await using internet = await startFakeInternet();
    internet.serve((_visit, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png));
    const { downloads, fetching } = fetchingOf(internet);
    const own = { url: 'data:image/png;base64,AAAA' };
    const data = `data:image/png;base64,${png.toString('base64')}`;
    expect(await sentPictures({ downloads }, [own, address('/a')], fetching)).toEqual([own, { url: data }]);
  });

  it('have so much time together, and none of them is waited for beyond that', async () => {
    await using internet = await startFakeInternet();
    internet.serve((_visit, response) => void response.writeHead(200, { 'content-type': 'image/png' }).write(png));
    const { downloads, fetching } = fetchingOf(internet);
    const requested = Array.from({ length: 8 }, (_, index) => address(`/${index}`));
    const sending = sentPictures({ downloads }, requested, { ...fetching, milliseconds: 100 });
    await expect(sending).rejects.toMatchObject({ code: 'media_not_fetched' });
    expect(internet.visits.length).toBeLessThanOrEqual(1);
  });

  it('wait no longer than that for what their user waits for already', async () => {
    await using internet = await startFakeInternet();
    internet.serve((_visit, response) => void response.writeHead(200, { 'content-type': 'image/png' }).write(png));
    const { downloads, fetching } = fetchingOf(internet);
    const leaving = new AbortController();
    const others = Array.from({ length: 12 }, (_, index) =>
      downloads.fetch({ ...address(`/other/${index}`), ...fetching, signal: leaving.signal }).catch(() => 'gone'),
    );
    const sending = sentPictures({ downloads }, [address('/a')], { ...fetching, milliseconds: 100 });
    await expect(sending).rejects.toMatchObject({ code: 'media_not_fetched' });
    expect(internet.visits.map(({ path }) => path)).not.toContain('/a');
    leaving.abort();
    expect(await Promise.all(others)).toEqual(others.map(() => 'gone'));
  });
});
