import 'fake-indexeddb/auto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { startTexts } from '#pwa/i18n/setup.ts';
import { watchConnection } from './online-status.tsx';
import { shows } from '#tests/support/shows.ts';
import {
  changeEdit,
  discardAll,
  discardEdit,
  outboxEntries,
  queueEdit,
  reload,
  replayOutbox,
  resolveConflict,
  startOutbox,
} from './outbox.ts';

interface Stored {
  value: string;
  revision: number;
}

let server: FixtureServer;
let options: Map<string, Stored>;
let userId: number;
let sent: string[][];
let stopOutbox: () => void;
let stopWatching: () => void;

beforeAll(async () => {
  server = await startFixtureServer();
  await startTexts();
});
afterAll(() => server.stop());

beforeEach(async () => {
  userId = 1;
  sent = [];
  options = new Map([
    ['SystemName', { value: 'Old', revision: 41 }],
    ['Footer', { value: '', revision: 3 }],
  ]);
  server.requested.length = 0;
  server.answer(saveOptions);
  stopWatching = watchConnection();
  restart();
  await shows(() => expect(outboxEntries()).toEqual([]));
});
afterEach(async () => {
  for (const user of [1, 2]) await discardAll(user);
  stopOutbox();
  stopWatching();
});

/** As the server does: a write based on an older revision is refused with what is there now. */
function saveOptions(requested: { url: string; body: unknown }, response: Parameters<typeof sendJson>[0]): void {
  if (requested.url === '/api/status') return sendJson(response, { success: false, message: 'no status here' });
  const { key, value, revision } = readEdit(requested.body);
  const current = options.get(key);
  if (current === undefined) return sendJson(response, { success: false, message: '未知的配置项', code: 'option_unknown' });
  if (revision !== current.revision) {
    return sendJson(response, { success: false, message: '内容已被他人修改', code: 'revision_conflict', data: { key, ...current } });
  }
  const next = { value, revision: current.revision + 1 };
  options.set(key, next);
  sendJson(response, { success: true, message: '', data: { key, ...next } });
}

function readEdit(body: unknown): { key: string; value: string; revision: number } {
  if (typeof body !== 'object' || body === null || !('key' in body) || !('value' in body) || !('revision' in body))
    throw new Error('not an edit');
  return { key: String(body.key), value: String(body.value), revision: Number(body.revision) };
}

function restart(): void {
  stopOutbox = startOutbox({ userId: () => userId, onSent: (shownBy) => sent.push([...shownBy].map(String)) });
}

async function goOffline(): Promise<void> {
  await server.stop();
}
async function comeBack(): Promise<void> {
  await server.start();
  window.dispatchEvent(new Event('online'));
}

const name = (mine: string) => queueEdit({ optionKey: 'SystemName', base: { value: 'Old', revision: 41 }, mine });
const footer = (mine: string) => queueEdit({ optionKey: 'Footer', base: { value: '', revision: 3 }, mine });
const savedKeys = () =>
  server.requested.filter((requested) => requested.url === '/api/option/').map((requested) => readEdit(requested.body).key);

describe('outbox', () => {
  test('with a server that answers, an edit is sent at once and leaves nothing behind', async () => {
    await name('New');
    expect(options.get('SystemName')).toEqual({ value: 'New', revision: 42 });
    expect(outboxEntries()).toEqual([]);
    expect(sent).toEqual([['options']]);
  });

  test('edits made without a server survive a restart and go out in order when it is back', async () => {
    await goOffline();
    await name('New');
    await footer('hello');
    expect(outboxEntries().map((edit) => [edit.optionKey, edit.state])).toEqual([
      ['SystemName', 'waiting'],
      ['Footer', 'waiting'],
    ]);
    stopOutbox();
    restart();
    await shows(() => expect(outboxEntries()).toHaveLength(2));
    await comeBack();
    await shows(() => expect(outboxEntries()).toEqual([]));
    expect(savedKeys()).toEqual(['SystemName', 'Footer']);
    expect(options.get('Footer')?.value).toBe('hello');
  });

  test('a second edit of the same setting replaces the first and keeps its base; back at the base nothing is left', async () => {
    await goOffline();
    await name('One');
    await queueEdit({ optionKey: 'SystemName', base: { value: 'One', revision: 41 }, mine: 'Two' });
    expect(outboxEntries()).toMatchObject([{ mine: 'Two', base: { value: 'Old', revision: 41 } }]);
    await name('Old');
    expect(outboxEntries()).toEqual([]);
    await server.start();
  });

  test('an edit that somebody else contradicted stops the queue and shows base, mine and theirs', async () => {
    await goOffline();
    await name('Mine');
    await footer('later');
    options.set('SystemName', { value: 'Theirs', revision: 42 });
    await comeBack();
    await shows(() => expect(outboxEntries()[0]?.state).toBe('conflict'));
    expect(outboxEntries()).toMatchObject([
      { base: { value: 'Old', revision: 41 }, mine: 'Mine', theirs: { value: 'Theirs', revision: 42 } },
      { state: 'waiting', optionKey: 'Footer' },
    ]);
    expect(options.get('Footer')?.value).toBe('');
  });

  test('a resolved conflict replaces exactly what was seen, then the rest follows', async () => {
    await goOffline();
    await name('Mine');
    await footer('later');
    options.set('SystemName', { value: 'Theirs', revision: 42 });
    await comeBack();
    await shows(() => expect(outboxEntries()[0]?.state).toBe('conflict'));

    await resolveConflict(outboxEntries()[0]?.id ?? 0, 'Both');
    expect(options.get('SystemName')).toEqual({ value: 'Both', revision: 43 });
    expect(options.get('Footer')?.value).toBe('later');
    expect(outboxEntries()).toEqual([]);
  });

  test('while a conflict is looked at, a third edit makes a new conflict instead of being overwritten', async () => {
    await goOffline();
    await name('Mine');
    options.set('SystemName', { value: 'Theirs', revision: 42 });
    await comeBack();
    await shows(() => expect(outboxEntries()[0]?.state).toBe('conflict'));
    options.set('SystemName', { value: 'Third', revision: 43 });
    await resolveConflict(outboxEntries()[0]?.id ?? 0, 'Mine');
    expect(outboxEntries()).toMatchObject([{ state: 'conflict', base: { value: 'Theirs' }, theirs: { value: 'Third', revision: 43 } }]);
    expect(options.get('SystemName')?.value).toBe('Third');
  });

  test('choosing theirs drops the edit and lets the next go', async () => {
    await goOffline();
    await name('Mine');
    await footer('later');
    options.set('SystemName', { value: 'Theirs', revision: 42 });
    await comeBack();
    await shows(() => expect(outboxEntries()[0]?.state).toBe('conflict'));
    await discardEdit(outboxEntries()[0]?.id ?? 0);
    expect(options.get('SystemName')?.value).toBe('Theirs');
    expect(options.get('Footer')?.value).toBe('later');
  });

  test('an edit that reached the server before its answer was lost is not a conflict with itself', async () => {
    server.answer((requested, response) => {
      if (requested.url === '/api/status') return saveOptions(requested, response);
      const edit = readEdit(requested.body);
      options.set(edit.key, { value: edit.value, revision: edit.revision + 1 });
      response.destroy();
    });
    await name('New');
    expect(outboxEntries()).toHaveLength(1);
    server.answer(saveOptions);
    await replayOutbox();
    expect(outboxEntries()).toEqual([]);
    expect(options.get('SystemName')).toEqual({ value: 'New', revision: 42 });
  });

  test('a newer revision with the same value as the base is not a conflict', async () => {
    options.set('SystemName', { value: 'Old', revision: 50 });
    await name('New');
    expect(options.get('SystemName')).toEqual({ value: 'New', revision: 51 });
    expect(outboxEntries()).toEqual([]);
  });

  test('a value that the server refuses is kept with its reason until it is changed', async () => {
    server.answer((_asked, response) => sendJson(response, { success: false, message: '值不合法', code: 'option_invalid' }));
    await name('Bad');
    expect(outboxEntries()).toMatchObject([{ state: 'refused', refusal: '值不合法' }]);
    server.answer(saveOptions);
    await changeEdit(outboxEntries()[0]?.id ?? 0, 'Good');
    expect(outboxEntries()).toEqual([]);
    expect(options.get('SystemName')?.value).toBe('Good');
  });

  test('two replays at once send an edit once', async () => {
    await goOffline();
    await name('New');
    await server.start();
    await Promise.all([replayOutbox(), replayOutbox(), replayOutbox()]);
    expect(savedKeys()).toEqual(['SystemName']);
    expect(outboxEntries()).toEqual([]);
  });

  test('who signs in while a queue is being sent sends nothing of it', async () => {
    await goOffline();
    await name('Mine');
    await footer('of the first');
    server.answer((requested, response) => {
      // Another tab signs another user in before the answer comes.
      if (requested.url === '/api/option/') userId = 2;
      saveOptions(requested, response);
    });
    await server.start();
    await replayOutbox();
    expect(savedKeys()).toEqual(['SystemName']);
    expect(options.get('Footer')?.value).toBe('');
    userId = 1;
    server.answer(saveOptions);
    await reload();
    await replayOutbox();
    expect(options.get('Footer')?.value).toBe('of the first');
  });

  test('nobody sees or sends what another user queued', async () => {
    await goOffline();
    await name('Mine');
    userId = 2;
    stopOutbox();
    restart();
    await comeBack();
    await shows(() => expect(server.requested.some((requested) => requested.url === '/api/status')).toBe(true));
    expect(outboxEntries()).toEqual([]);
    expect(savedKeys()).toEqual([]);
    expect(options.get('SystemName')?.value).toBe('Old');
  });
});

describe('outbox: what happens to an edit while its call is under way', () => {
  const id = () => outboxEntries()[0]?.id ?? 0;
  const savedValues = () =>
    server.requested.filter((requested) => requested.url === '/api/option/').map((requested) => readEdit(requested.body).value);

  /** Queues an edit whose answer waits until the test releases it. */
  async function slowly(): Promise<{ answer: () => void; isDone: Promise<void> }> {
    let answer: (() => void) | undefined;
    server.answer((requested, response) => {
      if (requested.url !== '/api/option/' || answer !== undefined) return saveOptions(requested, response);
      answer = () => saveOptions(requested, response);
    });
    const isDone = name('A');
    await shows(() => expect(answer).toBeDefined());
    return { answer: () => answer?.(), isDone };
  }

  test('another value is sent after it', async () => {
    const { answer, isDone } = await slowly();
    const next = name('B');
    await shows(() => expect(outboxEntries()[0]?.mine).toBe('B'));
    answer();
    await Promise.all([isDone, next]);
    expect(options.get('SystemName')).toEqual({ value: 'B', revision: 43 });
    expect(savedValues()).toEqual(['A', 'B']);
    expect(outboxEntries()).toEqual([]);
  });

  test('going back to the value of before is sent after it', async () => {
    const { answer, isDone } = await slowly();
    const next = name('Old');
    await shows(() => expect(outboxEntries()[0]?.mine).toBe('Old'));
    answer();
    await Promise.all([isDone, next]);
    expect(options.get('SystemName')).toEqual({ value: 'Old', revision: 43 });
    expect(outboxEntries()).toEqual([]);
  });

  test('an edit that somebody else contradicts shows the value of the later edit in the conflict', async () => {
    const { answer, isDone } = await slowly();
    const next = changeEdit(id(), 'B');
    await shows(() => expect(outboxEntries()[0]?.mine).toBe('B'));
    options.set('SystemName', { value: 'Theirs', revision: 42 });
    answer();
    await Promise.all([isDone, next]);
    expect(outboxEntries()).toMatchObject([{ state: 'conflict', mine: 'B', base: { value: 'Old' }, theirs: { value: 'Theirs' } }]);
    expect(options.get('SystemName')?.value).toBe('Theirs');
  });

  test('a value that was corrected in time is sent although the first is refused', async () => {
    const { answer, isDone } = await slowly();
    const next = changeEdit(id(), 'Good');
    await shows(() => expect(outboxEntries()[0]?.mine).toBe('Good'));
    const current = options.get('SystemName');
    options.delete('SystemName');
    answer();
    if (current !== undefined) options.set('SystemName', current);
    await Promise.all([isDone, next]);
    expect(options.get('SystemName')?.value).toBe('Good');
    expect(outboxEntries()).toEqual([]);
  });

  test.each([
    ['contradicted', () => options.set('SystemName', { value: 'Theirs', revision: 42 })],
    ['refused', () => options.delete('SystemName')],
  ])('a discarded edit that is %s does not come back, and the next one goes', async (_how, turn) => {
    const { answer, isDone } = await slowly();
    const discarded = discardEdit(id());
    await shows(() => expect(outboxEntries()).toEqual([]));
    const next = footer('hello');
    turn();
    answer();
    await Promise.all([isDone, discarded, next]);
    expect(outboxEntries()).toEqual([]);
    expect(options.get('Footer')?.value).toBe('hello');
  });

  test('once its answer was lost, going back leaves nothing', async () => {
    server.answer((_asked, response) => response.destroy());
    await name('A');
    expect(outboxEntries()).toMatchObject([{ mine: 'A', state: 'waiting' }]);
    await name('Old');
    expect(outboxEntries()).toEqual([]);
  });
});
