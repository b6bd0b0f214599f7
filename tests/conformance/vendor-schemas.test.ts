// Whatever format the upstream speaks, what a caller gets is what the vendor's own package says that it gets: every field that may be
// null included, in whole responses and in every event of a stream, with ids of the vendor's form.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clientDialects } from '#server/formats/registry.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { framings } from '#server/framing/registry.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import type { Behaviour } from '#tests/support/fake-upstream.ts';
import { faultsOf, type Vendor, vendorSchemas } from '#tests/support/vendor-schema.ts';
import { channelOf, model } from './shared-cases.ts';

type Json = Record<string, unknown>;

interface Requested {
  stream: boolean;
  hasTools: boolean;
  thinks: boolean;
  limit?: number;
}

/** Requests of a format, and the types of its responses. */
interface Speech {
  vendor: Vendor;
  path(stream: boolean): string;
  body(requested: Requested): Json;
  whole: string;
  event: string;
  /** Ids by where they stand. */
  ids: readonly (readonly [name: RegExp, form: RegExp])[];
  headers?: Record<string, string>;
  /** There are no tools in it. */
  isTextOnly?: boolean;
}

const parameters = { type: 'object', properties: { port: { type: 'string' } } };
const text = 'When is high water in Brest?';

const speeches: Readonly<Record<string, Speech>> = {
  'openai-chat': {
    vendor: 'openai',
    path: () => '/v1/chat/completions',
    body: ({ stream, hasTools, thinks, limit }) => ({
      model,
      messages: [{ role: 'user', content: text }],
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      ...(hasTools ? { tools: [{ type: 'function', function: { name: 'get_tide', parameters } }] } : {}),
      ...(thinks ? { reasoning_effort: 'high' } : {}),
      ...(limit === undefined ? {} : { max_tokens: limit }),
    }),
    whole: 'ChatCompletion',
    event: 'ChatCompletionChunk',
    ids: [
      [/^id$/, /^chatcmpl-\w+$/],
      [/\.tool_calls\.\d+\.id$/, /^call_[\w-]+$/],
    ],
  },
  claude: {
    vendor: 'anthropic-ai-sdk',
    path: () => '/v1/messages',
    body: ({ stream, hasTools, thinks, limit }) => ({
      model,
      max_tokens: limit ?? 4000,
      messages: [{ role: 'user', content: text }],
      stream,
      ...(hasTools ? { tools: [{ name: 'get_tide', input_schema: parameters }] } : {}),
      ...(thinks ? { thinking: { type: 'enabled', budget_tokens: 1024 } } : {}),
    }),
    whole: 'Message',
    event: 'MessageStreamEvent',
    ids: [
      [/^(?:message\.)?id$/, /^msg_\w+$/],
      [/^content(?:_block|\.\d+)\.id$/, /^toolu_[\w-]+$/],
    ],
    headers: { 'anthropic-version': '2023-06-01' },
  },
  'openai-responses': {
    vendor: 'openai',
    path: () => '/v1/responses',
    body: ({ stream, hasTools, thinks, limit }) => ({
      model,
      input: text,
      stream,
      ...(hasTools ? { tools: [{ type: 'function', name: 'get_tide', parameters, strict: false }] } : {}),
      ...(thinks ? { reasoning: { effort: 'high', summary: 'auto' } } : {}),
      ...(limit === undefined ? {} : { max_output_tokens: limit }),
    }),
    whole: 'Response',
    event: 'ResponseStreamEvent',
    ids: [
      [/^(?:response\.)?id$/, /^resp_\w+$/],
      [/(?:output\.\d+|item)\.id$/, /^(?:msg|rs|fc)_\w+$/],
      [/\.call_id$/, /^call_[\w-]+$/],
    ],
  },
};

/** The body of Responses at the address of chat, answered as chat is. */
const mixed: Speech = {
  vendor: 'openai',
  path: () => '/v1/chat/completions',
  body: ({ stream, hasTools, thinks, limit }) => ({
    model,
    input: [{ role: 'user', content: text }],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    ...(hasTools ? { tools: [{ type: 'function', name: 'get_tide', parameters, strict: false }] } : {}),
    ...(thinks ? { reasoning: { effort: 'high', summary: 'auto' } } : {}),
    ...(limit === undefined ? {} : { max_output_tokens: limit }),
  }),
  whole: 'ChatCompletion',
  event: 'ChatCompletionChunk',
  ids: [
    [/^id$/, /^chatcmpl-\w+$/],
    [/\.tool_calls\.\d+\.id$/, /^call_[\w-]+$/],
  ],
};

const completions: Speech = {
  vendor: 'openai',
  path: () => '/v1/completions',
  body: ({ stream, limit }) => ({ model, prompt: text, stream, ...(limit === undefined ? {} : { max_tokens: limit }) }),
  whole: 'Completion',
  event: 'Completion',
  ids: [[/^id$/, /^cmpl-\w+$/]],
  isTextOnly: true,
};

/** As callers speak it once it is among the formats. */
const gemini: Speech = {
  vendor: 'google-genai',
  path: (stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: ({ hasTools, thinks, limit }) => ({
    contents: [{ role: 'user', parts: [{ text }] }],
    ...(hasTools ? { tools: [{ functionDeclarations: [{ name: 'get_tide', parameters }] }] } : {}),
    generationConfig: {
      ...(thinks ? { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } } : {}),
      ...(limit === undefined ? {} : { maxOutputTokens: limit }),
    },
  }),
  whole: 'Generated',
  event: 'Generated',
  ids: [[/^responseId$/, /^[\w-]+$/]],
};
const interactions: Speech = {
  vendor: 'google-genai',
  path: () => '/v1beta/interactions',
  body: ({ stream, hasTools, thinks, limit }) => ({
    model,
    input: text,
    stream,
    ...(hasTools ? { tools: [{ type: 'function', name: 'get_tide', parameters }] } : {}),
    generation_config: {
      ...(thinks ? { thinking_level: 'high', thinking_summaries: 'auto' } : {}),
      ...(limit === undefined ? {} : { max_output_tokens: limit }),
    },
  }),
  whole: 'Interaction',
  event: 'InteractionEvent',
  ids: [[/^(?:interaction\.)?id$/, /^v1_\w+$/]],
};
const clients: Readonly<Record<string, unknown>> = clientDialects;

const upstreams = [
  { format: 'openai-chat', type: 1, setting: '' },
  { format: 'claude', type: 14, setting: '' },
  { format: 'gemini', type: 24, setting: '' },
  { format: 'openai-responses', type: 1, setting: JSON.stringify({ formats: ['openai-responses'] }) },
];
const spoken = Object.entries({
  ...speeches,
  gemini,
  'gemini-interactions': interactions,
  'openai-completions': completions,
  'openai-mixed': mixed,
}).filter(([name]) => name in clients);
const pairs = spoken.flatMap(([caller, speech]) =>
  upstreams.filter(({ format }) => format !== caller).map((upstream) => ({ caller, speech, ...upstream })),
);

const behaviours: readonly (Partial<Requested> & { what: string; behaviour: Behaviour })[] = [
  { what: 'a text', behaviour: { text: 'High water is at noon.' } },
  { what: 'nothing', behaviour: { text: '' } },
  { what: 'a text that is cut', behaviour: { text: Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ') }, limit: 20 },
  { what: 'thoughts and a text', behaviour: { reasoning: 'The moon is full.', text: 'At noon.' }, thinks: true },
  {
    what: 'calls of tools, one without arguments',
    behaviour: {
      toolCalls: [
        { name: 'get_tide', arguments: '{"port":"Brest"}' },
        { name: 'get_tide', arguments: '{}' },
      ],
    },
    hasTools: true,
  },
  {
    what: 'thoughts and a call with an id of another form',
    behaviour: { reasoning: 'Ask.', toolCalls: [{ id: 'functions.get_tide:0', name: 'get_tide', arguments: '{"port":"Brest"}' }] },
    thinks: true,
    hasTools: true,
  },
];

test('every format that callers speak is asked here', () => {
  expect(spoken.map(([name]) => name).toSorted()).toEqual(Object.keys(clients).toSorted());
});

test.each(['openai', 'anthropic-ai-sdk', 'google-genai'] as const)('the types are those of the installed package: %s', (vendor) => {
  const { package: name, version } = vendorSchemas(vendor);
  const installed: { version: string } = JSON.parse(
    readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  );
  expect(version, 'run `node scripts/write-vendor-schemas.mjs`').toBe(installed.version);
});

describe.each(pairs)('$caller, before an upstream that speaks $format', ({ speech, type, setting }) => {
  const { vendor, path, body, headers } = speech;

  test('every response and every event has what the vendor requires', async () => {
    await using scene = await open(type, setting);
    for (const { what, behaviour, ...requested } of behaviours) {
      if (speech.isTextOnly === true && requested.hasTools === true) continue;
      scene.upstream.behave(behaviour);
      for (const stream of [false, true]) {
        const response = await scene.post(path(stream), body({ stream, hasTools: false, thinks: false, ...requested }), headers);
        expect(response.status, what).toBe(200);
        const reported = stream ? eventsOf(Buffer.from(await response.arrayBuffer())) : [await response.json()];
        expect(reported.length, what).toBeGreaterThan(0);
        const faults = reported.flatMap((one) => [
          ...faultsOf(vendor, stream ? speech.event : speech.whole, one),
          ...idFaults(speech, one),
        ]);
        expect([...new Set(faults)], `${what}, ${stream ? 'streamed' : 'whole'}`).toEqual([]);
      }
    }
  });
});

function open(type: number, setting: string): Promise<RelayScene> {
  return createScene(embeddedEngine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ ...channelOf(type), setting }] });
}

function eventsOf(stream: Buffer): unknown[] {
  return [...framings.sse.events(stream)]
    .map(({ data }) => data)
    .filter((data) => data !== '[DONE]')
    .map((data): unknown => JSON.parse(data));
}

function idFaults({ ids }: Speech, value: unknown): string[] {
  return [...textsIn(value, '')].flatMap(([place, reported]) => {
    const form = ids.find(([name]) => name.test(place))?.[1];
    return form === undefined || form.test(reported) ? [] : [`${place}: ${reported} has not the vendor's form`];
  });
}

function* textsIn(value: unknown, place: string): Generator<[string, string]> {
  if (typeof value === 'string') yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* textsIn(member, place === '' ? name : `${place}.${name}`);
}
