// Conversations of megabytes: written in small steps, whole or absent, and gone in the end where the process that wrote them has died.
import { describe, expect, test } from 'vitest';
import type { AppContext } from '#server/context.ts';
import type { Database, Write } from '#server/db/database.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import { ConversationStore } from '#server/slices/responses/conversation-store.ts';
import { ResponseStore } from '#server/slices/responses/response-store.ts';
import { sweepResponses } from '#server/slices/responses/sweep-responses.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const userId = 1;
/** Characters that one step may write: a piece of 700 KB that is sealed, and as much again. */
const mostInAStep = 2_000_000;
const said = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const long = [
  said('before'),
  said('tide '.repeat(700_000)),
  ...Array.from({ length: 450 }, (_, index) => said(`${index} ${'x'.repeat(3_000)}`)),
];

/** The store, and the sizes of what it writes at once; a process that dies writes no more from the step of that number on. */
function storeOf(context: AppContext, diesAt = Infinity) {
  const steps: { characters: number; records: number }[] = [];
  const write = async (batch: readonly Write[]): Promise<boolean[]> => {
    if (steps.length >= diesAt) throw new Error('The process has died');
    steps.push({ characters: JSON.stringify(batch).length, records: batch.length });
    return context.db.write(batch);
  };
  const db: Database = new Proxy(context.db, {
    get: (target, name) => {
      if (name === 'write') return write;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const watched = new Proxy(context, { get: (target, name) => (name === 'db' ? db : Reflect.get(target, name, target)) });
  return { conversations: new ConversationStore(watched, new ResponseStore(watched)), steps };
}

const textIn = (item: object) => /"text":"(.*?)"/.exec(JSON.stringify(item))?.[1];
const contents = ['conversation_items', 'response_pieces'] as const;

describe.each(engines)('long conversations on $kind', (engine) => {
  const reading = (context: AppContext) => ({ hold: context.bodies.open(`user:${userId}`), budget: new PartBudget() });

  test('none of its writes is long, and all of it is there', async () => {
    await using scene = await createScene(engine, { channels: [] });
    const { context } = scene.app;
    const { conversations, steps } = storeOf(context);
    const reported = await conversations.create({ userId }, { items: long, metadata: {} });
    const id = String(Reflect.get(reported, 'id'));
    expect(steps.length).toBeGreaterThan(5);
    for (const { characters, records } of steps) {
      expect(characters).toBeLessThan(mostInAStep);
      expect(records).toBeLessThan(210);
    }
    const record = await conversations.find({ userId }, id);
    const items = await conversations.itemsOf(record, reading(context));
    expect(items.map(textIn)).toEqual(long.map(textIn));
    expect(record).toMatchObject({ end: long.length });
    expect(record).not.toHaveProperty('locked_by');
    await conversations.remove({ userId }, id);
    for (const name of contents) expect(await context.db.collection(name).count({})).toBe(0);
  });

  test('a process that dies while it writes one leaves none, and what it left is swept', async () => {
    await using scene = await createScene(engine, { channels: [] });
    const { context } = scene.app;
    const whole = storeOf(context);
    await whole.conversations.create({ userId }, { items: long, metadata: {} });
    const left = await Promise.all(contents.map((name) => context.db.collection(name).count({})));
    for (const diesAt of [1, 2, 4, whole.steps.length - 1]) {
      const before = new Set((await context.db.collection('conversations').find({})).map(({ id }) => id));
      const { conversations } = storeOf(context, diesAt);
      await expect(conversations.create({ userId }, { items: long, metadata: {} })).rejects.toThrow('died');
      const begun = (await context.db.collection('conversations').find({})).filter(({ id }) => !before.has(id));
      expect(begun).toHaveLength(1);
      for (const { id } of begun)
        await expect(whole.conversations.find({ userId }, id)).rejects.toMatchObject({ code: 'conversation_not_found' });
      // Its lock says that it may be being written.
      await sweepResponses(context);
      expect(await context.db.collection('conversations').count({})).toBe(2);
      await sweepResponses({
        db: context.db,
        settings: context.settings,
        now: () => context.now() + 120_000,
        waitUntil: (work) => void work,
      });
      expect(await context.db.collection('conversations').count({})).toBe(1);
      expect(await Promise.all(contents.map((name) => context.db.collection(name).count({})))).toEqual(left);
    }
  });

  test('an addition that breaks off is not seen, and goes before the next one', async () => {
    await using scene = await createScene(engine, { channels: [] });
    const { context } = scene.app;
    const { conversations } = storeOf(context);
    const id = String(Reflect.get(await conversations.create({ userId }, { items: [said('first')], metadata: {} }), 'id'));
    await expect(storeOf(context, 3).conversations.add({ userId }, id, long)).rejects.toThrow('died');
    expect(await context.db.collection('conversation_items').count({})).toBeGreaterThan(1);
    const textsNow = async () => (await conversations.itemsOf(await conversations.find({ userId }, id), reading(context))).map(textIn);
    expect(await textsNow()).toEqual(['first']);
    await conversations.add({ userId }, id, [said('second')]);
    expect(await textsNow()).toEqual(['first', 'second']);
    expect(await context.db.collection('conversation_items').count({})).toBe(2);
    expect(await context.db.collection('response_pieces').count({})).toBe(0);
  });

  test('whoever has lost its lock writes no more', async () => {
    await using scene = await createScene(engine, { channels: [] });
    const { context } = scene.app;
    const { conversations } = storeOf(context);
    const id = String(Reflect.get(await conversations.create({ userId }, { items: [said('first')], metadata: {} }), 'id'));
    const { record, holder } = await conversations.lock({ userId }, id);
    await conversations.unlock(id, holder);
    const { steps, conversations: late } = storeOf(context);
    await context.db.write((await late.addition(record, holder, long)).writes);
    expect(steps).toEqual([]);
    expect(await context.db.collection('conversation_items').count({})).toBe(1);
  });
});
