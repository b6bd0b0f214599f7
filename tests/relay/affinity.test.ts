// Calls of one conversation go to one channel, where the provider has what was sent before in its cache.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene, setOption, testModel } from '#tests/support/relay-scene.ts';

const system = { role: 'system', content: 'You are a pilot.' };
const said = (content: string) => ({ role: 'user', content });
const answered = { role: 'assistant', content: 'Hello!' };

describe('a conversation', () => {
  let scene: RelayScene;
  beforeAll(async () => {
    scene = await createScene(embeddedEngine, { channels: Array.from({ length: 4 }, (_, at) => ({ key: `sk-channel-${at}` })) });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  /** The key of the channel that the call went to. */
  async function channelOf(path: string, body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<string> {
    const response = await scene.post(path, { model: testModel, ...body }, headers);
    expect(response.status).toBe(200);
    await response.text();
    return scene.upstream.requests.at(-1)?.headers['authorization'] ?? '';
  }
  const chat = (messages: object[], fields: object = {}, headers: Record<string, string> = {}) =>
    channelOf('/v1/chat/completions', { messages, ...fields }, headers);

  test('that nobody names is known by its beginning, however it goes on', async () => {
    const seen = new Set<string>();
    for (let topic = 0; topic < 24; topic++) {
      const messages: object[] = [system, said(`Topic ${topic}`)];
      const first = await chat(messages);
      seen.add(first);
      for (let turn = 0; turn < 2; turn++) {
        messages.push(answered, said('And then?'));
        expect(await chat(messages)).toBe(first);
      }
    }
    expect(seen.size).toBe(4);
  });

  test.each([
    ['the name that its prompts are cached by', (id: string) => ({ fields: { prompt_cache_key: `conversation ${id}` } })],
    ['a header of Claude Code', (id: string) => ({ headers: { 'x-claude-code-session-id': `session-${id}` } })],
    ['a header of Codex', (id: string) => ({ headers: { 'session-id': `session-${id}` } })],
    ['a header of OpenCode', (id: string) => ({ headers: { 'x-session-affinity': `ses_${id}` } })],
  ])('is known by %s, whatever it begins with', async (_about, named) => {
    const seen = new Set<string>();
    for (let id = 0; id < 16; id++) {
      const { fields = {}, headers = {} }: { fields?: object; headers?: Record<string, string> } = named(String(id));
      const first = await chat([said(`It is ${id} o'clock`)], fields, headers);
      seen.add(first);
      expect(await chat([said(`It is ${id + 1} o'clock`)], fields, headers)).toBe(first);
    }
    expect(seen.size).toBeGreaterThan(2);
  });

  test('is one in the words of Claude, Responses and Gemini, too', async () => {
    for (let topic = 0; topic < 8; topic++) {
      const claude = { max_tokens: 100, system: 'You are a pilot.', messages: [said(`Topic ${topic}`)] };
      const first = await channelOf('/v1/messages', claude);
      expect(await channelOf('/v1/messages', { ...claude, messages: [...claude.messages, answered, said('And?')] })).toBe(first);
      const gemini = {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ role: 'user', parts: [{ text: `Topic ${topic}` }] }],
      };
      const path = `/v1beta/models/${testModel}:generateContent`;
      const third = await channelOf(path, gemini);
      const further = [...gemini.contents, { role: 'model', parts: [{ text: 'Hello!' }] }, { role: 'user', parts: [{ text: 'And?' }] }];
      expect(await channelOf(path, { ...gemini, contents: further })).toBe(third);
      const input = [said(`Topic ${topic}`)];
      const other = await channelOf('/v1/responses', { instructions: 'Be brief.', input });
      expect(await channelOf('/v1/responses', { instructions: 'Be brief.', input: [...input, answered, said('And?')] })).toBe(other);
    }
  });

  test('goes elsewhere while its channel is not well, and the option lets every call go anywhere', async () => {
    const messages = [system, said('A long story')];
    const first = await chat(messages);
    scene.upstream.behave({ status: 429 }, { times: 1 });
    const second = await chat(messages);
    expect(second).not.toBe(first);
    expect(await chat([...messages, answered, said('And?')])).toBe(second);

    await setOption(scene.app, 'ChannelAffinityEnabled', 'false');
    const seen = new Set<string>();
    for (let turn = 0; turn < 40; turn++) seen.add(await chat([system, said('Another story')]));
    expect(seen.size).toBeGreaterThan(1);
    await setOption(scene.app, 'ChannelAffinityEnabled', 'true');
  });
});
