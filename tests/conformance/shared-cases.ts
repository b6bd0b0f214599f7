// What the official package of every format must see, whichever format the upstream speaks. What a package has of its own is in its
// own test file.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { ChannelFields } from '#tests/support/build-channel.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { startFakeBedrock } from '#tests/support/fake-bedrock.ts';
import { startFakeBaidu } from '#tests/support/fake-baidu.ts';
import { startFakeCodex } from '#tests/support/fake-codex.ts';
import { startFakeCohere } from '#tests/support/fake-cohere.ts';
import { startFakeOllama } from '#tests/support/fake-ollama.ts';
import { startFakeTencent } from '#tests/support/fake-tencent.ts';
import { startFakeVertex } from '#tests/support/fake-vertex.ts';
import type { ProviderFront } from '#tests/support/provider-front.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

export const model = 'claude-sonnet-4-5';
export const question = [{ role: 'user' as const, content: 'When is high water in Brest?' }];

const upstreams = [
  { format: 'OpenAI', type: 1 },
  { format: 'Claude', type: 14 },
  { format: 'Gemini', type: 24 },
];
/** An address that speaks nothing but Responses. */
const responses = { format: 'Responses', type: 1, setting: JSON.stringify({ formats: ['openai-responses'] }) };
/** What packages look at more closely. */
export const cases = casesOf(upstreams);
export const allCases = casesOf([...upstreams, responses]);
interface Host {
  format: string;
  front: (upstreamUrl: string) => Promise<ProviderFront>;
  upstreamModel: string;
  /** No response of its has more than one call of a tool. */
  callsOnce?: true;
  /** The provider has no token limit. */
  hasNoLimit?: true;
}

/** Hosts of other vendors' formats, or with their own format; storage makes no difference to them. */
const hosts: readonly Host[] = [
  { format: 'Claude at Vertex', front: startFakeVertex, upstreamModel: model },
  { format: 'Gemini at Vertex', front: startFakeVertex, upstreamModel: 'gemini-3-flash-preview' },
  { format: 'Claude at Bedrock', front: startFakeBedrock, upstreamModel: model },
  { format: 'Nova at Bedrock', front: startFakeBedrock, upstreamModel: 'us.amazon.nova-pro-v1:0' },
  { format: 'Ollama', front: startFakeOllama, upstreamModel: 'qwen3:8b' },
  { format: 'Cohere', front: startFakeCohere, upstreamModel: 'command-a-03-2025' },
  { format: 'ERNIE', front: startFakeBaidu, upstreamModel: 'ERNIE-4.0-8K', callsOnce: true },
  { format: 'Hunyuan', front: startFakeTencent, upstreamModel: 'hunyuan-turbos-latest', hasNoLimit: true },
  { format: 'Codex', front: startFakeCodex, upstreamModel: 'gpt-5.6-sol', hasNoLimit: true },
  { format: 'OpenAI at Vertex', front: startFakeVertex, upstreamModel: 'meta/llama-3.3-70b-instruct-maas' },
];
const hosted = engines.slice(0, 1).flatMap((engine) => hosts.map((host) => ({ engine, kind: engine.kind, ...host })));

/** Models of today, which take less than those before them. */
const ofToday = [
  { upstreamModel: 'gpt-6.1-sol', type: 1, setting: '' },
  { upstreamModel: 'gpt-6.1-sol', type: 1, setting: JSON.stringify({ formats: ['openai-chat', 'openai-responses'] }) },
  { upstreamModel: 'claude-opus-5-5', type: 14, setting: '' },
  { upstreamModel: 'gemini-3.8-flash', type: 24, setting: '' },
];
const today = engines.slice(0, 1).flatMap((engine) => ofToday.map((upstream) => ({ engine, kind: engine.kind, ...upstream })));

function casesOf<Upstream extends { type: number }>(list: readonly Upstream[]) {
  return engines.flatMap((engine) => list.map((upstream) => ({ engine, kind: engine.kind, setting: '', ...upstream })));
}

/** A provider that distinguishes models by name gets a suitable one. */
export function channelOf(type: number): ChannelFields {
  return { type, models: model, ...(type === 24 ? { model_mapping: JSON.stringify({ [model]: 'gemini-3-flash-preview' }) } : {}) };
}

type ErrorClass = abstract new (...parameters: never[]) => Error;

/** A client of one package, as these cases use it. */
export interface Speaker {
  ask(fields?: { model?: string; max_tokens?: number }): Promise<{ text: string; isCut: boolean }>;
  /** Reads a stream to its end. */
  stream(): Promise<string>;
  /** Reads a stream and aborts it once so many characters have come. */
  abortAfter(characters: number): Promise<unknown>;
  /** Calls with a tool, answers all tool calls and calls again. */
  callTools(stream: boolean): Promise<{ calledWith: unknown[]; text: string }>;
}

export interface Package {
  name: string;
  /** Both packages name their classes alike. */
  errors: Readonly<
    Record<
      | 'APIError'
      | 'AuthenticationError'
      | 'NotFoundError'
      | 'BadRequestError'
      | 'UnprocessableEntityError'
      | 'RateLimitError'
      | 'InternalServerError',
      ErrorClass
    >
  >;
  /** What its error says of a bad `max_tokens`. */
  badLimit: object;
  clientOf(scene: RelayScene, options?: { apiKey?: string }): Speaker;
}

export function describeSharedCases({ name, errors, badLimit, clientOf }: Package): void {
  const settings = { SelfUseModeEnabled: 'true' };
  const both = ['Brest', 'Dover'];
  const scenes = [
    ...allCases.map(({ engine, kind, format, type, setting }) => {
      const channels = [{ ...channelOf(type), setting }];
      return { kind, format, ports: both, storesLimits: true, open: () => createScene(engine, { settings, channels }) };
    }),
    ...today.map(({ engine, kind, upstreamModel, type, setting }) => {
      const channels = [{ type, setting, models: model, model_mapping: JSON.stringify({ [model]: upstreamModel }) }];
      const format = setting === '' ? upstreamModel : `${upstreamModel} by Responses`;
      return { kind, format, ports: both, storesLimits: true, open: () => createScene(engine, { settings, channels }) };
    }),
    ...hosted.map(({ engine, kind, format, front, upstreamModel, callsOnce, hasNoLimit }) => {
      const channels = [{ models: model, model_mapping: JSON.stringify({ [model]: upstreamModel }) }];
      const ports = callsOnce === true ? both.slice(0, 1) : both;
      return { kind, format, ports, storesLimits: hasNoLimit !== true, open: () => createScene(engine, { settings, channels, front }) };
    }),
  ];
  describe.each(scenes)(`the package of ${name} as every other on $kind, before $format`, ({ open, ports, storesLimits }) => {
    test.each([false, true])('makes a round trip through calls of tools, two at once where there can be (stream: %s)', async (stream) => {
      await using scene = await open();
      scene.upstream.behave({
        toolCalls: ports.map((port) => ({ name: 'get_tide', arguments: JSON.stringify({ port }) })),
        text: 'Noon in Brest, one in Dover.',
      });
      expect(await clientOf(scene).callTools(stream)).toEqual({
        calledWith: ports.map((port) => ({ port })),
        text: 'Noon in Brest, one in Dover.',
      });
      await scene.logs(2);
      await scene.checkBooks();
    });

    test(storesLimits ? 'is cut at its limit and told so' : 'is not cut where no limit can be told', async () => {
      await using scene = await open();
      // No format has a smaller limit.
      const words = Array.from({ length: 20 }, (_, index) => `word${index}`);
      scene.upstream.behave({ text: words.join(' ') });
      const written = storesLimits ? 16 : words.length;
      expect(await clientOf(scene).ask({ max_tokens: 16 })).toEqual({ text: words.slice(0, written).join(' '), isCut: storesLimits });
      expect(await clientOf(scene).ask()).toEqual({ text: words.join(' '), isCut: false });
    });

    test('aborts the upstream in the middle of a stream, and pays for what came', async () => {
      await using scene = await open();
      scene.upstream.behave({ repeat: { text: 'wave ', times: 1000 }, holdAfter: 12 });
      await clientOf(scene).abortAfter('wave '.length * 8);
      const request = await scene.upstream.request(0);
      expect(await request.closed).toBe('aborted');
      const [row] = await scene.logs(1);
      expect(row?.other).toMatchObject({ ending: 'client_closed' });
      expect(row?.completion_tokens).toBeGreaterThan(5);
      await scene.checkBooks();
    });

    test('throws the class that fits', async () => {
      await using scene = await open();
      const client = clientOf(scene);
      expect(await failureOf(clientOf(scene, { apiKey: 'sk-wrong' }).ask())).toBeInstanceOf(errors.AuthenticationError);
      expect(await failureOf(client.ask({ model: 'none' }))).toBeInstanceOf(errors.NotFoundError);
      const bad = await failureOf(client.ask({ max_tokens: -1 }));
      expect(bad).toBeInstanceOf(errors.BadRequestError);
      expect(bad).toMatchObject(badLimit);
      for (const [status, expected] of [
        [422, errors.UnprocessableEntityError],
        [429, errors.RateLimitError],
        [500, errors.InternalServerError],
        [503, errors.InternalServerError],
        // Errors of the channel's account are not the caller's fault.
        [401, errors.InternalServerError],
      ] as const) {
        scene.upstream.queue({ status });
        expect(await failureOf(client.ask()), `${status}`).toBeInstanceOf(expected);
      }
      await scene.checkBooks();
    });

    test.each([{ cutAfter: 4, chunkDelay: 5 }, { endAfter: 4 }, { errorAfter: 4 }])(
      'hears of a stream that breaks off: %j',
      async (behaviour) => {
        await using scene = await open();
        scene.upstream.behave({ text: 'one two three four five six', ...behaviour });
        expect(await failureOf(clientOf(scene).stream())).toBeInstanceOf(errors.APIError);
        await scene.logs(1);
        await scene.checkBooks();
      },
    );

    test('a whole response where a stream was asked for is told as one', async () => {
      await using scene = await open();
      scene.upstream.behave({ text: 'All at once.', garbage: 'json to a stream' });
      expect(await clientOf(scene).stream()).toBe('All at once.');
      await scene.checkBooks();
    });
  });
}
