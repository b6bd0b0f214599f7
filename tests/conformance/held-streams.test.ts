// Memory held by open streams: of past events only what the caller's format repeats at the end, however long the stream or an event is.
// Measured is reachable memory after garbage collection, heap and buffers.
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { clientDialects } from '#server/formats/registry.ts';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import { openStream } from '#server/formats/open-stream.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

async function heldBytes(): Promise<number> {
  if (typeof collect !== 'function') throw new Error('Garbage cannot be collected');
  // Memory of buffers is given back between two turns of the event loop.
  for (let round = 0; round < 2; round += 1) {
    await setImmediate();
    collect();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const model = 'gpt-4o-mini';
const megabyte = 1_000_000;
const event = (data: object, name = '') => `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** A stream's beginning, and an event with a text. */
const streams: Readonly<Record<string, { channel: object; begin: string; delta(text: string): string }>> = {
  'openai-chat': {
    channel: { type: 1 },
    begin: '',
    delta: (content) => event({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta: { content } }] }),
  },
  claude: {
    channel: { type: 14 },
    begin:
      event({ type: 'message_start', message: { id: 'msg_1', model, usage: { input_tokens: 1, output_tokens: 1 } } }, 'message_start') +
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start'),
    delta: (text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta'),
  },
  'openai-responses': {
    channel: { type: 1, setting: '{"formats":["openai-responses"]}' },
    begin:
      event({ type: 'response.created', sequence_number: 0, response: { id: 'resp_1', model, created_at: 1, output: [] } }) +
      event({ type: 'response.output_item.added', sequence_number: 1, output_index: 0, item: { type: 'message', id: 'm', content: [] } }),
    delta: (delta) =>
      event({ type: 'response.output_text.delta', sequence_number: 2, output_index: 0, content_index: 0, item_id: 'm', delta }),
  },
  gemini: {
    channel: { type: 24 },
    begin: '',
    delta: (text) => event({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }),
  },
};

/** Formats whose last event repeats the response: output is held once, and not at all on the identity path. */
const repeating: ReadonlySet<string> = new Set(['openai-responses', 'gemini-interactions']);

/** Of each format every reader, every writer and its way without translation, not each pair: a translation is a reader before a writer. */
const pairs = Object.values<ClientDialect>(clientDialects)
  .filter(({ calls }) => calls.chat !== undefined)
  .flatMap((client) => Object.keys(streams).map((format) => ({ caller: client.name, client, format })))
  .filter(({ caller, format }) => caller === 'openai-chat' || format === 'openai-chat' || caller === format);

/** Bytes that are held more than before, while the stream is open. */
async function heldAfter(client: ClientDialect, format: string, texts: () => Iterable<string>): Promise<number> {
  const { channel, begin, delta } = streams[format] ?? { channel: {}, begin: '', delta: () => '' };
  const route = buildPreparedChannel({ ...channel, base_url: 'https://up.example' }).route(client, 'chat', model);
  if (route === null) throw new Error('There is no way');
  const tally = new TextTally({ countText: () => Promise.resolve(0), estimateText: () => 0 });
  const writer = { model, requestId: 'r1', createdAt: 1, wantsUsage: true, promptEstimate: 7, now: () => 2 };
  const pipe = openStream({ client, route, upstreamModel: model, writer, tally });
  const splitter = route.framing.createSplitter();
  const push = (text: string) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 65_536) {
      const events = splitter.push(Buffer.from(bytes.subarray(at, at + 65_536)));
      if (events !== null) expect(pipe.push(Buffer.from(events), true).next).toBe('more');
    }
  };
  push(begin + delta('a'));
  const before = await heldBytes();
  for (const text of texts()) push(delta(text));
  const held = (await heldBytes()) - before;
  pipe.close();
  return held;
}

function* many(total: number): Iterable<string> {
  for (let reported = 0, at = 0; reported < total; at += 1) {
    const text = `${at} high water `.repeat(80);
    reported += text.length;
    yield text;
  }
}

describe.each(pairs)('$format to $caller', ({ caller, client, format }) => {
  // The limit is exceeded by holding one copy more than allowed: most streams hold none, repeating ones one.
  const length = 8 * megabyte;
  const most = repeating.has(caller) ? 1.5 * length : 2 * megabyte;

  test('a stream of 8 MB is not held', async () => {
    const held = await heldAfter(client, format, () => many(length));
    expect(held).toBeLessThan(most);
  });

  // What is held of an event until the next one comes may be its last match.
  test('an event of 8 MB is not held when others have passed', async () => {
    const held = await heldAfter(client, format, () => ['x'.repeat(length), 'and', 'then']);
    expect(held).toBeLessThan(most);
  });
});
