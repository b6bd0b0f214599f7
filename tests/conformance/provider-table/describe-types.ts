// Rows of types with calls: chat in each of their formats, from every client format, and every other kind of call.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providerOf } from '#server/providers/registry.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { refusedText } from '#tests/support/provider-front.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { exercises, isKind } from './exercises.ts';
import { providerTypes } from './facts.ts';
import { apartOf } from './other-calls.ts';
import { rows } from './rows.ts';
import { speakers, text as question } from './speakers.ts';
import { type StandIn, standInOf, upstreamModelOf } from './stand-ins.ts';

/** As callers name the model of conversations. */
const model = 'claude-sonnet-4-5';

/** @param from, to types, the last one included */
export function describeTypes(from: number, to: number): void {
  const some = relayed.filter(({ type }) => type >= from && type <= to);
  test('there are such types', () => expect(some).not.toEqual([]));
  describe.each(some)('type $type $name', describeType);
}

const relayed = providerTypes.flatMap(({ id, name }) => {
  const own = rows.filter((row) => row.type === id && apartOf(row) === undefined);
  const standIn = standInOf(id);
  return own.length === 0 || standIn === null ? [] : [{ type: id, name, standIn, capabilities: own.map(({ capability }) => capability) }];
});

function describeType({ type, standIn, capabilities }: (typeof relayed)[number]): void {
  const conversations = capabilities.includes('chat') ? (standIn.formats ?? []) : [];
  const spoken = Object.entries(providerOf(type)?.formats ?? {}).filter(([, { paths }]) => paths.chat !== undefined);

  test('converses in every format that its record has', () => {
    expect([...conversations].toSorted()).toEqual(spoken.map(([format]) => format).toSorted());
  });

  describe.each(conversations)('as %s', (format) => {
    const scene = useScene(standIn, { format });
    test.each(Object.entries(speakers))('answers callers of %s, whole, streamed and with an error', async (_client, speaker) => {
      scene().upstream.behave({ text: 'At noon in Brest.' });
      const before = (await scene().logs(0)).length;
      for (const stream of [false, true]) {
        const response = await scene().post(speaker.path(model, stream), speaker.body(model, stream));
        const text = await response.text();
        expect(response.status, text).toBe(200);
        expect(text).toContain('Brest');
        if (stream) expect(text).toContain(speaker.end);
      }
      const reported = (await scene().logs(before + 2)).slice(before);
      expect(reported.map(({ prompt_tokens: prompt, completion_tokens: written }) => prompt > 0 && written > 0)).toEqual([true, true]);
      const isOwn = standIn.answers?.includes('chat') === true;
      const requested = JSON.stringify(speaker.body(model, false));
      const refused = isOwn ? requested.replace(question, refusedText) : requested;
      await expectError(scene(), () => scene().post(speaker.path(model, false), refused), isOwn);
    });
  });

  const kinds = capabilities.filter(isKind);
  if (kinds.length > 0) {
    describe('beside conversations', () => {
      const scene = useScene(standIn, { kinds });
      test.each(kinds)('answers %s, whole, streamed where it can, and with an error', async (kind) => {
        const exercise = exercises[kind];
        if (exercise === undefined) throw new Error(`Nothing tries ${kind}`);
        const name = upstreamModelOf(standIn, kind);
        scene().upstream.behave(kind === 'completions' || kind === 'fim' ? { text: 'At noon in Brest.' } : {});
        const before = (await scene().logs(0)).length;
        const whole = await exercise.ask(scene(), name, false);
        const text = await whole.text();
        expect(whole.status, text).toBe(200);
        exercise.check(whole, text);
        const { streams } = exercise;
        const isStreamed = streams?.models.test(name) === true && (kind !== 'speech' || type === 1);
        if (isStreamed) {
          const streamed = await exercise.ask(scene(), name, true);
          expect(await streamed.text()).toContain(streams.end);
        }
        await scene().logs(before + (isStreamed ? 2 : 1));
        // Who answers by itself refuses by the text.
        const isOwn = standIn.answers?.includes(kind) === true;
        const requestRefused = isOwn ? exercise.requestRefused : exercise.ask;
        if (requestRefused === undefined) throw new Error(`Nothing refuses ${kind}`);
        await expectError(scene(), () => requestRefused(scene(), name, false), isOwn);
      });
    });
  }
}

/** One before a stand-in, for all tests around. */
function useScene(standIn: StandIn, { format, kinds = [] }: { format?: string; kinds?: readonly string[] }): () => RelayScene {
  let open: RelayScene | undefined;
  beforeAll(async () => {
    const names = kinds.map((kind) => upstreamModelOf(standIn, kind));
    const setting = format === undefined || standIn.models?.[format] !== undefined ? '' : JSON.stringify({ formats: [format] });
    const mapped = format === undefined ? '' : JSON.stringify({ [model]: upstreamModelOf(standIn, format) });
    const channel = { models: [...(format === undefined ? [] : [model]), ...names].join(','), model_mapping: mapped, setting };
    const settings = { SelfUseModeEnabled: 'true', RetryTimes: '0' };
    open = await createScene(embeddedEngine, { settings, channels: [channel], front: standIn.front });
  });
  afterAll(async () => {
    await open?.checkBooks();
    await open?.[Symbol.asyncDispose]();
  });
  return () => {
    if (open === undefined) throw new Error('There is no scene outside a test');
    return open;
  };
}

/** The provider rejects; the caller receives the reason as an error of their format; nothing is charged. */
async function expectError(scene: RelayScene, ask: () => Promise<Response>, isOwn = false): Promise<void> {
  const balance = await scene.balance();
  if (!isOwn) scene.upstream.queue({ status: 400, error: { message: refusedText, type: 'invalid_request_error', code: 'invalid_value' } });
  const response = await ask();
  const text = await response.text();
  expect(response.status, text).toBeGreaterThanOrEqual(400);
  expect(text).toContain(refusedText);
  expect(JSON.parse(text)).toHaveProperty('error');
  expect(await scene.balance()).toBe(balance);
  expect((await scene.logs(1)).at(-1)).toMatchObject({ quota: 0 });
}
