// The official helper for Responses over a WebSocket against a running server, before upstreams of every format.
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { describe, expect, test } from 'vitest';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';
import { allCases, channelOf, model, question } from './shared-cases.ts';

type Event = OpenAI.Responses.ResponsesServerEvent;
type Create = OpenAI.Responses.ResponsesClientEvent.ResponseCreate;
type Item = OpenAI.Responses.ResponseInputItem;

const tools: OpenAI.Responses.Tool[] = [
  {
    type: 'function',
    name: 'get_tide',
    description: 'Time of high water',
    parameters: { type: 'object', properties: { port: { type: 'string' } } },
    strict: false,
  },
];

/** The helper, and what has come by it. */
class Speaker implements Disposable {
  readonly socket: ResponsesWS;
  readonly #events: Event[] = [];

  constructor({ app, key }: RelayScene) {
    this.socket = new ResponsesWS(new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 }), { reconnect: null });
    this.socket.on('event', (event) => this.#events.push(event));
    // Errors come as events, too; who does not listen to them is ended by them.
    this.socket.on('error', () => {});
  }

  ask(fields: Partial<Create> = {}): void {
    this.socket.send({ type: 'response.create', model, input: question, ...fields });
  }

  async next(): Promise<Event> {
    await until(() => this.#events.length > 0);
    const event = this.#events.shift();
    if (event === undefined) throw new Error('There is no event');
    return event;
  }

  /** The events of a response up to its last one. */
  async events(): Promise<Event[]> {
    const all: Event[] = [];
    for (;;) {
      const event = await this.next();
      all.push(event);
      if (['response.completed', 'response.incomplete', 'response.failed', 'error'].includes(event.type)) return all;
    }
  }

  async response(): Promise<OpenAI.Responses.Response> {
    const last = (await this.events()).at(-1);
    if (last?.type !== 'response.completed' && last?.type !== 'response.incomplete') throw new Error(JSON.stringify(last));
    return last.response;
  }

  [Symbol.dispose](): void {
    this.socket.close();
  }
}

function textOf({ output }: OpenAI.Responses.Response): string {
  return output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('');
}

describe.each(allCases)("the socket of OpenAI's package on $kind, before $format", ({ engine, type, setting, format }) => {
  const open = (options: SceneOptions = {}) =>
    createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ ...channelOf(type), setting }], ...options });

  test('many responses on one connection, each with its usage as the log has it', async () => {
    await using scene = await open();
    using speaker = new Speaker(scene);
    for (const [index, text] of ['Noon.', 'One, in the afternoon.', 'Two.'].entries()) {
      scene.upstream.behave({ text });
      speaker.ask();
      const events = await speaker.events();
      const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));
      expect(deltas.join('')).toBe(text);
      expect(events[0]?.type).toBe('response.created');
      const last = events.at(-1);
      if (last?.type !== 'response.completed') throw new Error(JSON.stringify(last));
      expect(textOf(last.response)).toBe(text);
      const rows = await scene.logs(index + 1);
      const { usage } = last.response;
      expect(rows.at(-1)).toMatchObject({ prompt_tokens: usage?.input_tokens, completion_tokens: usage?.output_tokens });
    }
    await scene.checkBooks();
  });

  test('a tool is called and answered by what is new alone', async () => {
    await using scene = await open();
    using speaker = new Speaker(scene);
    scene.upstream.behave({ toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }], text: 'Noon in Brest.' });
    speaker.ask({ tools, generate: false });
    const warm = await speaker.response();
    expect([warm.output, warm.usage?.total_tokens, scene.upstream.requests.length]).toEqual([[], 0, 0]);
    speaker.ask({ tools, store: false, previous_response_id: warm.id, input: [] });
    const first = await speaker.response();
    const results = first.output.flatMap((item): Item[] =>
      item.type === 'function_call' ? [{ type: 'function_call_output', call_id: item.call_id, output: 'noon' }] : [],
    );
    expect(results).toHaveLength(1);
    speaker.ask({ tools, store: false, previous_response_id: first.id, input: results });
    expect(textOf(await speaker.response())).toBe('Noon in Brest.');
    expect(await scene.logs(2)).toHaveLength(2);
    await scene.checkBooks();
  });

  test('thoughts go on with the conversation', async () => {
    await using scene = await open();
    using speaker = new Speaker(scene);
    scene.upstream.behave({ reasoning: 'The moon is full.', text: 'Noon.' });
    const wish = { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'], store: false } satisfies Partial<Create>;
    speaker.ask(wish);
    const first = await speaker.response();
    speaker.ask({ ...wish, previous_response_id: first.id, input: [{ role: 'user', content: 'Why?' }] });
    expect(textOf(await speaker.response())).toBe('Noon.');
    await scene.checkBooks();
  });

  test('an error is one event; the next response comes all the same', async () => {
    await using scene = await open({ settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' } });
    using speaker = new Speaker(scene);
    speaker.ask({ model: 'none' });
    expect(await speaker.events()).toMatchObject([{ type: 'error', status: 404, error: { code: 'model_not_found' } }]);
    for (const status of [429, 500, 503]) {
      scene.upstream.queue({ status });
      speaker.ask();
      expect(await speaker.events()).toMatchObject([{ type: 'error', status }]);
    }
    for (const behaviour of [{ cutAfter: 4, chunkDelay: 5 }, { endAfter: 4 }, { errorAfter: 4 }]) {
      scene.upstream.queue({ text: 'one two three four five six', ...behaviour });
      speaker.ask();
      const events = await speaker.events();
      expect(events.filter((event) => event.type === 'error' || event.type === 'response.failed')).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error: { message: expect.any(String) } },
      });
    }
    speaker.ask();
    expect((await speaker.events()).at(-1)).toMatchObject({ type: 'response.completed' });
    await scene.checkBooks();
  });

  test('a response that is cut at its limit says so, and is gone on from', async () => {
    await using scene = await open();
    using speaker = new Speaker(scene);
    scene.upstream.behave({ text: Array.from({ length: 20 }, (_, index) => `word${index}`).join(' ') });
    speaker.ask({ max_output_tokens: 16 });
    const cut = await speaker.response();
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    speaker.ask({ previous_response_id: cut.id, input: 'Go on.' });
    expect(await speaker.response()).toMatchObject({ status: 'completed' });
    await scene.checkBooks();
  });

  test('a client that closes in the middle aborts the upstream and pays for what came', async () => {
    await using scene = await open();
    using speaker = new Speaker(scene);
    scene.upstream.behave({ repeat: { text: 'wave ', times: 1000 }, holdAfter: 12 });
    speaker.ask();
    let received = '';
    while (received.length < 'wave '.length * 8) {
      const event = await speaker.next();
      if (event.type === 'response.output_text.delta') received += event.delta;
    }
    speaker.socket.close();
    const request = await scene.upstream.request(0);
    expect(await request.closed).toBe('aborted');
    const [row] = await scene.logs(1);
    expect(row?.other).toMatchObject({ ending: 'client_closed' });
    expect(row?.completion_tokens).toBeGreaterThan(5);
    await scene.checkBooks();
  });

  test('a whole response where a stream was asked for is told as events', async () => {
    await using scene = await open();
    using speaker = new Speaker(scene);
    scene.upstream.behave({ text: 'All at once.', garbage: 'json to a stream' });
    speaker.ask();
    expect(textOf(await speaker.response())).toBe('All at once.');
    await scene.checkBooks();
  });

  test.runIf(format === 'Responses')('the upstream is asked over HTTP for the whole conversation, and keeps nothing', async () => {
    await using scene = await open();
    using speaker = new Speaker(scene);
    speaker.ask({ stream_id: 'main', client_metadata: { turn: '1' } } as Partial<Create>);
    const first = await speaker.response();
    speaker.ask({ stream_id: 'main', previous_response_id: first.id, input: [{ role: 'user', content: 'Why?' }], store: true });
    await speaker.response();
    const [one, two] = scene.upstream.requests.map(({ body }) => body as Record<string, unknown>);
    expect(one).toEqual({ model, input: question, stream: true, store: false, client_metadata: { turn: '1' } });
    expect(two).toMatchObject({ model, stream: true, store: false });
    expect(two).not.toHaveProperty('previous_response_id');
    expect(two?.['input']).toMatchObject([{ role: 'user' }, { type: 'message', role: 'assistant' }, { role: 'user', content: 'Why?' }]);
  });
});
