import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createRoot, type Root } from 'react-dom/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Channel } from '#shared/channels.ts';
import { startTexts } from '#pwa/i18n/setup.ts';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { testState } from './channel-summary.ts';
import { channelPageQuery, channelQuery } from './queries.ts';
import { type ChannelTests, useChannelTests } from './use-channel-tests.ts';
import { shows } from '#tests/support/shows.ts';

const texts =
  'name key openai_organization test_model base_url other models group model_mapping status_code_mapping setting param_override';
const numbers = 'weight priority created_time test_time response_time balance balance_updated_time used_quota max_input_tokens';
const untested = Channel.parse({
  ...Object.fromEntries(`${texts} other_info tag`.split(' ').map((field) => [field, ''])),
  ...Object.fromEntries(numbers.split(' ').map((field) => [field, 0])),
  id: 7,
  type: 1,
  status: 1,
  groups: [],
  auto_ban: 1,
  revision: 1,
});

let server: FixtureServer;
let root: Root;
let client: QueryClient;
/** What list and panel show, each time they are drawn. */
let shown: { list: string; panel: string; tests: ChannelTests }[];
let held: (() => void)[];
/** Numbers of requests of list and panel. */
let asks: { list: number; panel: number };

function Shown() {
  const tests = useChannelTests();
  const list = useQuery(channelPageQuery({ p: 1, size: 10, byId: false })).data?.channels[0];
  const panel = useQuery(channelQuery(7)).data;
  const nameOf = (channel: Channel | undefined): string => (channel === undefined ? '' : testState(channel, undefined).state);
  shown.push({ list: nameOf(list), panel: nameOf(panel), tests });
  return null;
}

beforeAll(async () => {
  localStorage.setItem('i18nextLng', 'en');
  await startTexts();
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  shown = [];
  asks = { list: 0, panel: 0 };
  held = [];
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  root = createRoot(document.createElement('div'));
});
afterEach(async () => {
  await shows(() => {
    for (const answer of held.splice(0)) answer();
    expect(client.isFetching()).toBe(0);
  });
  root.unmount();
});

function latest(): ChannelTests {
  const tests = shown.at(-1)?.tests;
  if (tests === undefined) throw new Error('Nothing is shown');
  return tests;
}

async function open(outcome: object): Promise<void> {
  server.answer(({ url }, response) => {
    if (url.startsWith('/api/channel/test/')) return sendJson(response, outcome);
    const isList = url.startsWith('/api/channel/?');
    asks[isList ? 'list' : 'panel'] += 1;
    const answer = () => sendJson(response, { success: true, message: '', data: isList ? [untested] : untested, total: 1 });
    if (asks[isList ? 'list' : 'panel'] === 1) return answer();
    // The request after the test stays pending: the result is shown without its response.
    held.push(answer);
    return undefined;
  });
  root.render(
    <QueryClientProvider client={client}>
      <Shown />
    </QueryClientProvider>,
  );
  await shows(() => expect(shown.at(-1)).toMatchObject({ list: 'untested', panel: 'untested' }));
}

describe('a test of a channel', () => {
  test('that passed is in list and panel at once, and both are read again', async () => {
    await open({ success: true, message: '', time: 0.8 });
    void latest().test({ id: 7 });
    await shows(() => expect(shown.at(-1)).toMatchObject({ list: 'ok', panel: 'ok' }));
    await shows(() => expect(asks).toEqual({ list: 2, panel: 2 }));
    expect(latest().resultOf(7)).toEqual({ state: 'ok', seconds: 0.8 });
  });

  test('ends well whatever else of channels is kept: the counts of the menu stay as they are', async () => {
    const counts = { disabled_by_system: 0 };
    client.setQueryData(['channels', 'summary'], counts);
    client.setQueryData(['channels', 'tags', {}], []);
    await open({ success: true, message: '', time: 0.8 });
    const ended = vi.fn<(result: unknown) => void>();
    void latest().test({ id: 7 }).then(ended, ended);
    await shows(() => {
      for (const answer of held.splice(0)) answer();
      expect(ended).toHaveBeenCalledWith({ state: 'ok', seconds: 0.8 });
    });
    expect(client.getQueryData(['channels', 'summary'])).toBe(counts);
    expect(asks).toEqual({ list: 2, panel: 2 });
  });

  test('that failed is there at once, as a failure', async () => {
    await open({ success: false, message: 'connect ECONNREFUSED', code: 'channel_test_failed', time: 0.005 });
    void latest().test({ id: 7 });
    await shows(() => expect(shown.at(-1)).toMatchObject({ list: 'failed', panel: 'failed' }));
    expect(latest().resultOf(7)).toEqual({ state: 'failed', message: 'connect ECONNREFUSED' });
  });

  test('that was never sent leaves the record as it is', async () => {
    await open({ success: false, message: 'no price', code: 'channel_test_failed', time: 0 });
    void latest().test({ id: 7 });
    await shows(() => expect(latest().resultOf(7)).toEqual({ state: 'failed', message: 'no price' }));
    expect(shown.at(-1)).toMatchObject({ list: 'untested', panel: 'untested' });
  });
});
