import 'fake-indexeddb/auto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { forgetUser, storeUser } from '#pwa/api/stored-user.ts';
import { startTexts } from '#pwa/i18n/setup.ts';
import { readConversations, wipeConversations } from '#pwa/offline/conversations.ts';
import { type Requested, type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { buildConsoleUser } from '#tests/support/console-records.ts';
import { ask, askAgain, askFirstOnly, askInstead, stop } from './ask.ts';
import { shows } from '#tests/support/shows.ts';
import {
  branch,
  chooseModels,
  chooseSettings,
  deleteConversation,
  forgetConversations,
  loadConversations,
  newConversation,
  openConversation,
  playground,
} from './conversations-state.ts';

let server: FixtureServer;
/** What the models say, one after the other. */
let words: string[];
let waiting: ServerResponse[];

beforeAll(async () => {
  server = await startFixtureServer();
  localStorage.setItem('i18nextLng', 'en');
  await startTexts();
  server.answer(answer);
});
afterAll(() => server.stop());
beforeEach(async () => {
  words = [];
  waiting = [];
  server.requested.length = 0;
  for (const user of [1, 2]) await wipeConversations(user);
  forgetConversations();
  signIn(1);
  await loadConversations(1);
  chooseModels(['small']);
});

const signIn = (id: number): void => storeUser(buildConsoleUser({ id }));

function answer({ url }: Requested, response: ServerResponse): void {
  if (url.startsWith('/api/log/self')) {
    const row = { id: 9, type: 2, quota: 30, prompt_tokens: 4, completion_tokens: 6 };
    sendJson(response, { success: true, message: '', data: { items: [row], page: 1, page_size: 10, total: 1 } });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-oneapi-request-id': 'id-1' });
  const text = words.shift();
  if (text === undefined) {
    response.write('data: {"choices":[{"delta":{"content":"half"}}]}\n\n');
    waiting.push(response);
  } else response.end(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\ndata: [DONE]\n\n`);
}

const openAnswers = () =>
  playground.get().open.turns.map((turn) => turn.answers.map((one) => (one === null ? null : [one.state, one.text])));
const answersAre = (expected: unknown): Promise<unknown> => shows(() => expect(openAnswers()).toEqual(expected));
const sentTexts = (): unknown[] =>
  server.requested
    .filter(({ url }) => url.startsWith('/pg/'))
    .map(({ body }) => (body as { messages: { content: string }[] }).messages.map(({ content }) => content));

describe('questions', () => {
  test('are answered, stored, and go on from what was said', async () => {
    words = ['one', 'two'];
    ask('first', { pictures: [] });
    await answersAre([[['done', 'one']]]);
    ask('second', { pictures: [] });
    await answersAre([[['done', 'one']], [['done', 'two']]]);
    expect(sentTexts()).toEqual([['first'], ['first', 'one', 'second']]);
    await shows(async () => {
      const [stored] = await readConversations(1);
      expect(stored?.title).toBe('first');
      expect(stored?.turns.map((turn) => turn.answers[0]?.text)).toEqual(['one', 'two']);
    });
  });

  test('go in the format that is chosen, and come back in it', async () => {
    chooseSettings({ format: 'claude', system: 'Be brief.' });
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 5 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ];
    server.answer((requested, response) => {
      if (!requested.url.startsWith('/pg/')) return answer(requested, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
    });
    ask('first', { pictures: [] });
    await answersAre([[['done', 'Hello']]]);
    expect(server.requested.find(({ url }) => url.startsWith('/pg/'))).toMatchObject({
      url: '/pg/messages',
      body: { model: 'small', system: 'Be brief.', messages: [{ role: 'user', content: 'first' }], max_tokens: 4096, stream: true },
    });
    expect(playground.get().open.turns[0]?.answers[0]).toMatchObject({ promptTokens: 5, completionTokens: 2, finish: 'stop' });
    // Cut off before its end.
    events.splice(-1);
    ask('second', { pictures: [] });
    await shows(() => expect(playground.get().open.turns[1]?.answers[0]?.state).toBe('cut'));
    server.answer(answer);
  });

  test('that are stopped keep what came, and can be asked again', async () => {
    ask('first', { pictures: [] });
    await answersAre([[['running', 'half']]]);
    stop(playground.get().open.id);
    await answersAre([[['stopped', 'half']]]);
    words = ['whole'];
    askAgain(0);
    await answersAre([[['done', 'whole']]]);
    expect(sentTexts()).toEqual([['first'], ['first']]);
  });

  test('asked again while an answer runs: the one before ends and changes nothing', async () => {
    ask('first', { pictures: [] });
    await answersAre([[['running', 'half']]]);
    words = ['whole'];
    askAgain(0);
    await answersAre([[['done', 'whole']]]);
    waiting[0]?.end('data: {"choices":[{"delta":{"content":" late"}}]}\n\ndata: [DONE]\n\n');
    words = ['next'];
    ask('second', { pictures: [] });
    await answersAre([[['done', 'whole']], [['done', 'next']]]);
    expect(sentTexts().at(-1)).toEqual(['first', 'whole', 'second']);
  });

  test('in other words: the last is replaced, an earlier one goes on apart', async () => {
    words = ['one', 'two', 'three', 'four'];
    ask('first', { pictures: [] });
    await answersAre([[['done', 'one']]]);
    ask('second', { pictures: [] });
    await answersAre([[['done', 'one']], [['done', 'two']]]);
    const { id } = playground.get().open;
    askInstead(1, 'second, better');
    await answersAre([[['done', 'one']], [['done', 'three']]]);
    expect(playground.get().open.id).toBe(id);
    askInstead(0, 'first, better');
    await answersAre([[['done', 'four']]]);
    expect(playground.get().open.id).not.toBe(id);
    openConversation(id);
    expect(openAnswers()).toEqual([[['done', 'one']], [['done', 'three']]]);
    branch(0, true);
    expect(openAnswers()).toEqual([[['done', 'one']]]);
    expect(playground.get().open.id).not.toBe(id);
  });

  test('of a model that is taken away while it answers end', async () => {
    chooseModels(['small', 'large']);
    ask('first', { pictures: [] });
    await answersAre([
      [
        ['running', 'half'],
        ['running', 'half'],
      ],
    ]);
    const isClosed = vi.fn<() => void>();
    for (const response of waiting) response.on('close', isClosed);
    askFirstOnly();
    await shows(() => expect(isClosed).toHaveBeenCalledTimes(1));
    await shows(() => expect(playground.get().open.turns[0]?.answers[1]?.state).toBe('stopped'));
    expect(playground.get().open.turns[0]?.answers[0]?.state).toBe('running');
    expect(playground.get().open.models).toEqual(['small']);
  });

  test('in other words while two models answer: nothing of the answers before comes into the new turn', async () => {
    chooseModels(['small', 'large']);
    ask('first', { pictures: [] });
    await answersAre([
      [
        ['running', 'half'],
        ['running', 'half'],
      ],
    ]);
    const isClosed = vi.fn<() => void>();
    for (const response of waiting) response.on('close', isClosed);
    words = ['whole'];
    chooseModels(['small']);
    askInstead(0, 'first, better');
    await shows(() => expect(isClosed).toHaveBeenCalledTimes(2));
    await answersAre([[['done', 'whole']]]);
    await shows(async () => expect((await readConversations(1))[0]?.turns[0]?.answers.map((one) => one?.text)).toEqual(['whole']));
  });

  test('of a conversation that is left go on; of one that is deleted nothing comes back', async () => {
    ask('first', { pictures: [] });
    await answersAre([[['running', 'half']]]);
    const { id } = playground.get().open;
    newConversation();
    expect(playground.get().open.turns).toEqual([]);
    waiting[0]?.end('data: {"choices":[{"delta":{"content":" and whole"}}]}\n\ndata: [DONE]\n\n');
    await shows(() => expect(playground.get().stored.find((one) => one.id === id)?.turns[0]?.answers[0]?.text).toBe('half and whole'));
    await deleteConversation(id);
    await shows(async () => expect(await readConversations(1)).toEqual([]));
    expect(playground.get().stored).toEqual([]);
  });

  test('end when their user signs out, and the next sees nothing of them', async () => {
    ask('secret', { pictures: [] });
    await answersAre([[['running', 'half']]]);
    const closed = vi.fn<() => void>();
    waiting[0]?.on('close', closed);
    forgetUser();
    await shows(() => expect(closed).toHaveBeenCalled());
    expect(playground.get()).toMatchObject({ userId: 0, stored: [] });
    signIn(2);
    await loadConversations(2);
    expect(playground.get()).toMatchObject({ userId: 2, stored: [] });
    expect(playground.get().open.turns).toEqual([]);
    signIn(1);
    await loadConversations(1);
    // The page went in the middle of the answer.
    await answersAre([[['cut', expect.any(String)]]]);
  });

  test('two models answer apart, and one that is added later is told what only it has said', async () => {
    chooseModels(['small', 'large']);
    words = ['a', 'b'];
    ask('first', { pictures: [] });
    await shows(() => expect(openAnswers()[0]?.map((one) => one?.[0])).toEqual(['done', 'done']));
    chooseModels(['small', 'third']);
    expect(playground.get().open.models).toEqual(['small', 'third']);
    words = ['c', 'd'];
    ask('second', { pictures: [] });
    await shows(() => expect(openAnswers()[1]?.map((one) => one?.[0])).toEqual(['done', 'done']));
    const models = server.requested.filter(({ url }) => url.startsWith('/pg/')).map(({ body }) => (body as { model: string }).model);
    expect(models.toSorted()).toEqual(['large', 'small', 'small', 'third']);
    // Nothing is written any more when this page is gone.
    const stored = async () => (await readConversations(1)).flatMap(({ turns }) => turns.flatMap(({ answers }) => answers));
    await shows(async () => expect((await stored()).map((one) => one?.state)).toEqual(['done', 'done', 'done', 'done']));
  });
});
