// What every package of others must see, before upstreams of every format that take their format strictly.
import { describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.ts';
import { channelTo, type Format, formats, openScene, spoken } from './open-scene.ts';
import type { Speaker } from './speaker.ts';

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const file = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF').toString('base64');
const words = Array.from({ length: 40 }, (_, index) => `word${index}`);

export function describePackages(speakers: readonly Speaker[]): void {
  const there = speakers.filter(({ caller }) => spoken.includes(caller));
  const cases = there.flatMap((speaker) => formats.map((format) => ({ name: speaker.name, speaker, format })));
  describe.each(cases)('$name, before $format', ({ speaker, format }) => describeCases(speaker, format));
}

function describeCases(speaker: Speaker, format: Format): void {
  const open = () => openScene(format, speaker.model);
  const can = (what: (typeof speaker.lacks)[number]) => !speaker.lacks.includes(what);

  test('text, system and usage', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'High water is at noon.' });
    const reported = await speaker.ask(scene.app.origin, scene.key, { system: 'Be brief, sailor.' });
    expect(reported.text).toBe('High water is at noon.');
    if (can('finish')) expect(reported.finish).toBe(speaker.finishes.stop);
    expect(scene.upstream.requests[0]?.text).toContain('Be brief, sailor.');
    const [row] = await scene.logs(1);
    expect([reported.input, reported.output]).toEqual([row?.prompt_tokens, row?.completion_tokens]);
    await scene.checkBooks();
  });

  test('a stream comes in pieces, with the same usage', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'High water is at noon.' });
    const pieces: string[] = [];
    const reported = await speaker.stream(scene.app.origin, scene.key, {}, (piece) => pieces.push(piece));
    expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(2);
    expect([pieces.join(''), reported.text]).toEqual(['High water is at noon.', 'High water is at noon.']);
    const [row] = await scene.logs(1);
    if (can('streamed usage')) expect([reported.input, reported.output]).toEqual([row?.prompt_tokens, row?.completion_tokens]);
  });

  test.each([false, true])('two calls at once, answered, and a text (stream: %s)', async (stream) => {
    await using scene = await open();
    scene.upstream.behave({
      toolCalls: [
        { id: 'call_brest', name: 'get_tide', arguments: '{"port":"Brest"}' },
        { id: 'call_dover', name: 'get_tide', arguments: '{"port":"Dover"}' },
      ],
      text: 'Noon in both.',
    });
    const round = await speaker.callTools(scene.app.origin, scene.key, { stream });
    expect(round).toEqual({ ports: ['Brest', 'Dover'], text: 'Noon in both.' });
    await scene.logs(2);
    await scene.checkBooks();
  });

  test('a call that is forced, and none', async () => {
    await using scene = await open();
    scene.upstream.behave({ toolCalls: [{ name: 'get_tide', arguments: '{"port":"Brest"}' }], text: 'Noon.' });
    await speaker.callTools(scene.app.origin, scene.key, { stream: false, choice: 'forced' });
    expect(choiceIn(format, scene.upstream.requests[0]?.body)).toBe('forced');
    if (!can('none')) return;
    scene.upstream.reset();
    scene.upstream.behave({ text: 'Noon.' });
    expect(await speaker.callTools(scene.app.origin, scene.key, { stream: false, choice: 'none' })).toEqual({ ports: [], text: 'Noon.' });
    expect(['none', 'no tools']).toContain(choiceIn(format, scene.upstream.requests[0]?.body));
  });

  test.runIf(can('reasoning'))('thoughts, and calls after thoughts that their provider knows again', async () => {
    await using scene = await open();
    scene.upstream.behave({ reasoning: 'The moon is full.', text: 'At noon.' });
    const reported = await speaker.ask(scene.app.origin, scene.key, { thinks: true });
    expect([reported.reasoning, reported.text]).toEqual(['The moon is full.', 'At noon.']);
    const toolCalls = [{ name: 'get_tide', arguments: '{"port":"Brest"}' }];
    scene.upstream.behave({ reasoning: 'Ask the harbour.', toolCalls, text: 'At noon.' });
    for (const stream of can('streamed thoughts') ? [false, true] : [false]) {
      // The fake upstream takes back no thoughts but its own.
      const round = await speaker.callTools(scene.app.origin, scene.key, { stream, thinks: true });
      expect(round).toEqual({ ports: ['Brest'], text: 'At noon.' });
    }
  });

  test.runIf(can('limit'))('a limit cuts, and is told', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: words.join(' ') });
    const reported = await speaker.ask(scene.app.origin, scene.key, { limit: 16 });
    expect(reported.text).toBe(words.slice(0, 16).join(' '));
    if (can('finish')) expect(reported.finish).toBe(speaker.finishes.length);
  });

  // Responses have no place for stops: that is named.
  test.runIf(can('stop') && format !== 'openai-responses')('stops reach the provider', async () => {
    const channel = channelTo(format, speaker.model);
    // Models that think take none.
    if (format === 'openai-chat') channel.model_mapping = JSON.stringify({ [speaker.model]: 'gpt-4.1-mini' });
    await using scene = await openScene(format, speaker.model, { channels: [channel] });
    await speaker.ask(scene.app.origin, scene.key, { stop: ['LAND'] });
    expect(scene.upstream.requests[0]?.text).toMatch(/"(?:stop|stop_sequences|stopSequences)":\[?"LAND"/);
  });

  test.runIf(can('image'))('images reach the provider', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'A dot.' });
    expect((await speaker.ask(scene.app.origin, scene.key, { image })).text).toBe('A dot.');
    expect(scene.upstream.requests[0]?.text).toContain(image);
  });

  test.runIf(can('file'))('files reach the provider', async () => {
    await using scene = await open();
    scene.upstream.behave({ text: 'A table.' });
    expect((await speaker.ask(scene.app.origin, scene.key, { file })).text).toBe('A table.');
    expect(scene.upstream.requests[0]?.text).toContain(file);
  });

  test('an object by a schema', async () => {
    await using scene = await open();
    const object = { port: 'Brest', hour: 12 };
    // Some packages request it by a tool, others by a format.
    scene.upstream.behave({ text: JSON.stringify(object) });
    const reported = await speaker.object(scene.app.origin, scene.key);
    expect(reported).toEqual(object);
    expect(scene.upstream.requests[0]?.text).toContain('"hour"');
  });

  test('leaving in the middle ends the call upstream, and so does running out of patience', async () => {
    await using scene = await open();
    scene.upstream.behave({ repeat: { text: 'wave ', times: 500 }, holdAfter: 12 });
    const leaving = new AbortController();
    let received = '';
    await failureOf(
      speaker.stream(scene.app.origin, scene.key, { signal: leaving.signal }, (piece) => {
        received += piece;
        if (received.length >= 40) leaving.abort();
      }),
    ).catch(() => null);
    expect(await (await scene.upstream.request(0)).closed).toBe('aborted');
    scene.upstream.reset();
    scene.upstream.behave({ firstByteDelay: Infinity });
    const waiting = new AbortController();
    const failure = failureOf(speaker.stream(scene.app.origin, scene.key, { signal: waiting.signal })).catch(() => null);
    const request = await scene.upstream.request(0);
    waiting.abort();
    await failure;
    expect(await request.closed).toBe('aborted');
    await scene.checkBooks();
  });

  test('errors have the status that the package knows', async () => {
    await using scene = await open();
    const fails = async (ask: Parameters<typeof speaker.ask>[2]) =>
      speaker.statusOf(await failureOf(speaker.ask(scene.app.origin, scene.key, ask)));
    expect(await fails({ key: 'sk-wrong' })).toBe(401);
    expect(await fails({ model: 'gpt-none' })).toBe(404);
    for (const status of [400, 422, 429, 500, 503]) {
      scene.upstream.queue({ status });
      expect(await fails({}), `${status}`).toBe(status);
    }
    await scene.checkBooks();
  });

  test.runIf(can('breaks')).each([{ cutAfter: 4, chunkDelay: 5 }, { endAfter: 4 }, { errorAfter: 4 }])(
    'a stream that breaks off throws: %j',
    async (behaviour) => {
      await using scene = await open();
      scene.upstream.behave({ text: 'one two three four five six', ...behaviour });
      expect(await failureOf(speaker.stream(scene.app.origin, scene.key, {}))).toBeTruthy();
      await scene.logs(1);
      await scene.checkBooks();
    },
  );
}

type Json = Record<string, any>;

/** What a body in that format says about calling tools. */
function choiceIn(format: Format, body: unknown): string {
  const { tool_choice: choice, tools, toolConfig } = (body ?? {}) as Json;
  if (tools === undefined || tools.length === 0) return 'no tools';
  if (format === 'gemini') {
    const { mode, allowedFunctionNames: names } = toolConfig?.functionCallingConfig ?? {};
    return mode === 'ANY' && (names === undefined || names[0] === 'get_tide') ? 'forced' : String(mode).toLowerCase();
  }
  if (choice === 'required') return 'forced';
  if (typeof choice !== 'object') return String(choice);
  const name = choice.name ?? choice.function?.name;
  return name === 'get_tide' || choice.type === 'any' ? 'forced' : String(choice.type);
}
