import 'fake-indexeddb/auto';
import { openDB } from 'idb';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Conversation } from './conversation.ts';
import {
  dropOldest,
  storeConversation,
  mostCharacters,
  mostConversations,
  readConversations,
  removeConversation,
  wipeConversations,
} from './conversations.ts';
import { offlineDatabase, readAnswers, writeAnswer } from './database.ts';
import { databaseName } from './database-name.ts';

beforeAll(async () => {
  // As an earlier version of the console left it.
  const earlier = await openDB(databaseName, 1, {
    upgrade(database) {
      database.createObjectStore('answers', { keyPath: ['userId', 'hash'] }).createIndex('user', 'userId');
      database.createObjectStore('outbox', { keyPath: 'id', autoIncrement: true }).createIndex('user', 'userId');
    },
  });
  await earlier.put('answers', { userId: 1, hash: '["self"]', queryKey: ['self'], data: 5, updatedAt: 1 });
  earlier.close();
});
afterEach(async () => {
  for (const user of [1, 2]) await wipeConversations(user);
});

const conversationOf = (userId: number, id: string, fields: Partial<Conversation> = {}): Conversation => ({
  userId,
  id,
  title: id,
  updatedAt: Number(id) || 0,
  models: ['m'],
  settings: {
    group: '',
    system: '',
    temperature: null,
    top_p: null,
    max_tokens: null,
    presence_penalty: null,
    frequency_penalty: null,
    seed: null,
    stop: [],
    reasoning_effort: '',
    json: false,
    tools: '',
    extra: '',
  },
  turns: [{ id: 't', text: 'question', pictures: [], at: 0, answers: [null] }],
  ...fields,
});
const always = (): boolean => true;
const idsOf = async (userId: number): Promise<string[]> => (await readConversations(userId)).map(({ id }) => id);

test('an earlier database keeps what it holds', async () => {
  expect((await readAnswers(1)).map(({ data }) => data)).toEqual([5]);
  await writeAnswer({ userId: 1, hash: '["x"]', queryKey: ['x'], data: 6, updatedAt: 2 });
  expect(await readAnswers(1)).toHaveLength(2);
});

test('conversations are kept per user, the latest first', async () => {
  await storeConversation(conversationOf(1, '1'), always);
  await storeConversation(conversationOf(1, '3'), always);
  await storeConversation(conversationOf(1, '2'), always);
  await storeConversation(conversationOf(2, '9'), always);
  expect(await idsOf(1)).toEqual(['3', '2', '1']);
  expect(await idsOf(2)).toEqual(['9']);
  expect(await idsOf(3)).toEqual([]);
  await removeConversation(2, '3');
  await removeConversation(1, '2');
  expect(await idsOf(1)).toEqual(['3', '1']);
  await wipeConversations(1);
  expect([await idsOf(1), await idsOf(2)]).toEqual([[], ['9']]);
});

test('nothing is written for somebody who has signed out meanwhile', async () => {
  expect(await storeConversation(conversationOf(1, '1'), () => false)).toBe(false);
  expect(await idsOf(1)).toEqual([]);
});

test('the oldest go beyond the bounds, of that user alone', async () => {
  for (let index = 1; index <= mostConversations + 3; index += 1) await storeConversation(conversationOf(1, String(index)), always);
  await storeConversation(conversationOf(2, '1'), always);
  await dropOldest(1);
  expect(await idsOf(1)).toHaveLength(mostConversations);
  expect((await idsOf(1)).at(-1)).toBe('4');
  expect(await idsOf(2)).toEqual(['1']);
});

test('long ones push older ones out, and the newest stays however long it is', async () => {
  const long = [{ id: 't', text: 'x'.repeat(mostCharacters + 1), pictures: [], at: 0, answers: [] }];
  await storeConversation(conversationOf(1, '1'), always);
  await storeConversation(conversationOf(1, '2', { turns: long }), always);
  await dropOldest(1);
  expect(await idsOf(1)).toEqual(['2']);
});

test('what is not a conversation is passed over', async () => {
  await storeConversation(conversationOf(1, '1'), always);
  const database = await offlineDatabase();
  await database.put('conversations', Object.assign(conversationOf(1, '2'), { turns: 'broken' }));
  expect(await idsOf(1)).toEqual(['1']);
});
