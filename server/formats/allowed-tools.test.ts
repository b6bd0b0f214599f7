// Allowed tools: sent as a tool choice if the provider supports one, otherwise the other tools are removed.
import { expect, test } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import type { ClientDialect } from './client-dialect.ts';
import { encodeRequest } from './encode-request.ts';
import { clientDialects } from './registry.ts';

const names = ['get_tide', 'get_wind', 'sink_ship'];
const allowed = names.slice(0, 2);
const flat = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
const nested = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
const named = (name: string) => ({ type: 'function', function: { name } });

const ofChat = (mode: string, tools = allowed) => ({
  client: clientDialects['openai-chat'] as ClientDialect,
  body: {
    messages: [{ role: 'user', content: 'Hi' }],
    tools: names.map(nested),
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: tools.map(named) } },
  },
});
const ofResponses = (mode: string) => ({
  client: clientDialects['openai-responses'] as ClientDialect,
  body: {
    input: 'Hi',
    tools: names.map(flat),
    tool_choice: { type: 'allowed_tools', mode, tools: allowed.map((name) => ({ type: 'function', name })) },
  },
});

interface Upstream {
  type: number;
  setting?: string;
  base_url?: string;
}

function sent({ client, body }: { client: ClientDialect; body: object }, { type, ...fields }: Upstream): Record<string, unknown> {
  const model = 'm';
  const channel = { type, models: model, base_url: 'https://up.example', ...fields };
  const route = buildPreparedChannel(channel).route(client, 'chat', model);
  if (route === null) throw new Error('There is no such way');
  const requested = { model, ...body };
  const call = { client, route, clientHeaders: {}, body: requested, rawText: JSON.stringify(requested), originModel: model };
  return JSON.parse(encodeRequest({ ...call, isStream: false, forceUsage: true, settings: defaultSettings }).body.toString());
}

const chatFormat = '{"formats":["openai-chat"]}';
const reportedIn = (body: Record<string, unknown>) => names.filter((name) => JSON.stringify(body['tools']).includes(name));

test.each(['auto', 'required'])("OpenAI's chat gets the choice %s in its own form", (mode) => {
  const body = sent(ofResponses(mode), { type: 1, setting: chatFormat, base_url: '' });
  expect(body['tool_choice']).toEqual({ type: 'allowed_tools', allowed_tools: { mode, tools: allowed.map(named) } });
  expect(reportedIn(body)).toEqual(names);
});

test.each([
  { what: "OpenAI's format behind another address", upstream: { type: 1, setting: chatFormat } },
  { what: 'another provider of that format', upstream: { type: 43 } },
])('$what gets only those', ({ upstream }) => {
  const body = sent(ofResponses('required'), upstream);
  expect(body['tool_choice']).toBe('required');
  expect(reportedIn(body)).toEqual(allowed);
});

test.each(['auto', 'required'])("a caller's choice %s of chat is understood in every other format", (mode) => {
  const claude = sent(ofChat(mode), { type: 14 });
  expect(claude['tool_choice']).toEqual({ type: mode === 'auto' ? 'auto' : 'any' });
  expect(reportedIn(claude)).toEqual(allowed);
  const gemini = sent(ofChat(mode), { type: 24, setting: '{"formats":["gemini"]}' });
  expect(gemini['toolConfig']).toMatchObject({ functionCallingConfig: { allowedFunctionNames: allowed } });
  const responses = sent(ofChat(mode), { type: 1, setting: '{"formats":["openai-responses"]}' });
  expect(responses['tool_choice']).toEqual({ type: 'allowed_tools', mode, tools: allowed.map((name) => ({ type: 'function', name })) });
  expect(reportedIn(responses)).toEqual(names);
});

test('a choice of chat among no tools is refused, by name', () => {
  expect(() => sent(ofChat('required', ['fly']), { type: 14 })).toThrow(expect.objectContaining({ field: 'tool_choice' }));
  expect(sent(ofChat('auto', ['fly']), { type: 14 })['tools']).toBeUndefined();
});
