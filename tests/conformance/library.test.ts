// AI Proxy's libraries: the query, and the source documents of an answer.
import { expect, test } from 'vitest';
import { clientDialects, upstreamDialects } from '#server/formats/registry.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type FakeLibrary, startFakeLibrary } from '#tests/support/fake-library.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const model = 'gpt-4o-mini';
const { library } = upstreamDialects;

test('a channel names its library', () => {
  const routeOf = (other: string) =>
    buildPreparedChannel({ type: 21, key: 'k', other }).route(clientDialects['openai-chat'], 'chat', model);
  expect(routeOf('')).toBeNull();
  expect(routeOf(' 12 ')).toMatchObject({ nameThere: '12', upstreamModel: model, path: '/api/library/ask' });
});

test('a question is a text, answered with its documents, and counted', async () => {
  let provider: FakeLibrary | undefined;
  const front = async (url: string) => (provider = await startFakeLibrary(url));
  await using scene = await createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ models: model }], front });
  scene.upstream.behave({ text: 'At noon in Brest.' });
  const user = { role: 'user', content: 'Tide?' };
  const reported = await scene.chat({ model, messages: [user] });
  const annotation = { type: 'url_citation', url_citation: { url: 'https://a.example/tides', title: 'Tides' } };
  expect(await reported.json()).toMatchObject({ choices: [{ message: { content: 'At noon in Brest.', annotations: [annotation] } }] });
  const messages = [
    { role: 'system', content: 'Be brief.' },
    user,
    { role: 'assistant', content: 'Where?' },
    { role: 'user', content: 'Brest' },
  ];
  const streamed = await scene.post('/v1/messages', {
    model,
    max_tokens: 50,
    messages: messages.slice(1),
    system: 'Be brief.',
    stream: true,
  });
  expect(await streamed.text()).toContain('Brest');
  expect(provider?.taken.map(({ query }) => query)).toEqual(['Tide?', 'SYSTEM: Be brief.\nUSER: Tide?\nASSISTANT: Where?\nUSER: Brest']);
  const rows = await scene.logs(2);
  expect(rows.every(({ quota, completion_tokens: written }) => quota > 0 && written > 0)).toBe(true);
  await scene.checkBooks();
});

test.each([
  [
    { success: false, errCode: 401, message: 'no' },
    { status: 401, message: 'no', type: 'aiproxy_error' },
  ],
  [{ success: false }, { status: 500 }],
  [{ errCode: 2 }, { status: 500, code: 2 }],
])('a response of status 200 may be an error: %j', (body, error) =>
  expect(library.readError(JSON.stringify(body), null)).toMatchObject(error),
);

test.each([{}, { answer: 5 }, { success: true }])('may be none: %j', (body) => expect(library.readWhole(body, null)).toBeNull());
