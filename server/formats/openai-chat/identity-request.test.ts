import { describe, expect, it } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { buildPreparedChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import type { UpstreamCall } from '#server/exchange/build-request.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { openaiChatClient } from './client.ts';

interface Call extends Partial<Omit<UpstreamCall, 'channel' | 'body'>> {
  channel?: ChannelFields;
}

function build(rawText: string, { channel, ...options }: Call = {}) {
  const body = JSON.parse(rawText);
  const request = routedRequest({
    client: openaiChatClient,
    clientHeaders: {},
    settings: defaultSettings,
    kind: callKinds.chat,
    channel: buildPreparedChannel(channel),
    body,
    rawText,
    originModel: body.model,
    isStream: body.stream === true,
    forceUsage: true,
    ...options,
  });
  if (request instanceof Promise) throw new Error('A bearer token needs no waiting');
  return { ...request, body: request.body.toString() };
}

const mapped: ChannelFields = { model_mapping: '{"gpt-4o-mini":"gpt-4o"}' };

describe('a request upstream', () => {
  it('is the text of the client if nothing changes, with unknown fields and spacing', () => {
    const text =
      '{ "model" : "gpt-4o-mini",\n "messages":[{"role":"user","content":"\\"model\\" 你好"}], "new_field": {"a":1}, "top_p": 0 }';
    expect(build(text).body).toBe(text);
  });

  it('differs only in the mapped model name, at any position', () => {
    const text = '{"messages":[], "model" : "gpt-4o-mini" , "n":1}';
    const request = build(text, { channel: mapped });
    expect(request.body).toBe('{"messages":[], "model":"gpt-4o" , "n":1}');
    expect(request).toMatchObject({ upstreamModel: 'gpt-4o', route: { isMapped: true } });
  });

  it('requests usage on streams, in the text', () => {
    const request = build('{"model":"gpt-4o-mini","stream":true} \n', { channel: mapped });
    expect(JSON.parse(request.body)).toEqual({ model: 'gpt-4o', stream: true, stream_options: { include_usage: true } });
    expect(request.headers.accept).toBe('text/event-stream');
  });

  it('requests no usage if that is disabled or unsupported', () => {
    const text = '{"model":"m","stream":true}';
    expect(build(text, { forceUsage: false })).toMatchObject({ body: text });
    expect(build(text, { channel: { type: 19 } })).toMatchObject({ body: text });
  });

  it('is changed by rules of the provider, also without any scanned name', () => {
    const text = '{"model":"m","messages":[{"role":"user","content":"Hi"}],"seed":5,"max_completion_tokens":9}';
    const changed = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], random_seed: 5, max_tokens: 9 };
    expect(JSON.parse(build(text, { channel: { type: 42 }, seen: 0 }).body)).toEqual(changed);
  });

  it('preserves other stream options of the client', () => {
    const text = '{"model":"m","stream":true,"stream_options":{"include_usage":false,"include_obfuscation":false}}';
    expect(JSON.parse(build(text).body).stream_options).toEqual({ include_usage: true, include_obfuscation: false });
  });

  it('has no stream options if it does not stream or the provider does not know them', () => {
    const options = '"stream_options":{"include_usage":true}';
    expect(JSON.parse(build(`{"model":"m",${options}}`).body)).toEqual({ model: 'm' });
    const request = build(`{"model":"m","stream":true,${options}}`, { channel: { type: 22 } });
    expect(JSON.parse(request.body)).toEqual({ model: 'm', stream: true });
  });

  it.each([
    ['written twice', '{"model":"dear","model":"cheap","messages":[]}'],
    ['written twice, once with escaped letters', '{"model":"dear","\\u006dodel":"cheap","messages":[]}'],
    ['written in other letters as well', '{"model":"cheap","MODEL":"dear","messages":[]}'],
  ])('names only the billed model if it is %s', (_how, text) => {
    const { body } = build(text);
    expect(JSON.parse(body)).toEqual({ model: 'cheap', messages: [] });
    expect(body).not.toContain('dear');
  });

  it('gets a model if the client sent none', () => {
    expect(JSON.parse(build('{"input":"a"}', { kind: callKinds.embeddings, originModel: 'm', channel: mapped }).body)).toEqual({
      input: 'a',
      model: 'm',
    });
  });

  it('carries overridden parameters, embeddings too, but streams as the client wants', () => {
    const channel = { param_override: '{"temperature":0,"stream":false,"extra":[1]}' };
    expect(JSON.parse(build('{"model":"m","stream":true,"temperature":1}', { channel, forceUsage: false }).body)).toEqual({
      model: 'm',
      stream: true,
      temperature: 0,
      extra: [1],
    });
    expect(JSON.parse(build('{"model":"m","input":"a"}', { channel, kind: callKinds.embeddings }).body).extra).toEqual([1]);
  });

  it('forwards bytes unchanged in pass-through mode, at the mapped path', () => {
    const text = '{"model":"gpt-4o-mini","stream":true}';
    const channel = { ...mapped, type: 8, base_url: 'https://up.example/{model}/chat', param_override: '{"n":2}' };
    expect(build(text, { channel, isPassThrough: true })).toMatchObject({ body: text, path: '/gpt-4o/chat' });
  });

  it('does not change its input', () => {
    const body = { model: 'o3-mini-high', messages: [{ role: 'system', content: 'a' }], max_tokens: 5, temperature: 1 };
    const before = structuredClone(body);
    const request = build(JSON.stringify(body));
    expect(JSON.parse(request.body)).toEqual({
      model: 'o3-mini',
      messages: [{ role: 'developer', content: 'a' }],
      max_completion_tokens: 5,
      reasoning_effort: 'high',
    });
    expect(request).toMatchObject({ reasoningEffort: 'high', route: { hasLongIdle: true, isMapped: false } });
    expect(body).toEqual(before);
  });

  it("prefers the client's effort over that of the name", () => {
    expect(JSON.parse(build('{"model":"o3-mini-high","reasoning_effort":"low"}').body)).toEqual({
      model: 'o3-mini',
      reasoning_effort: 'low',
    });
  });

  it('leaves chat models of the gpt-5 family their temperature', () => {
    const text = '{"model":"gpt-5-chat-latest","temperature":0.3,"max_tokens":5}';
    expect(build(text).body).toBe(text);
  });

  it.each([
    ['gpt-5.1', undefined, true],
    ['gpt-5.2-2025-12-11', undefined, true],
    ['gpt-5.1-none', undefined, true],
    ['gpt-5.4', 'none', true],
    ['gpt-5.2-chat-latest', undefined, true],
    ['gpt-5.2-chat-latest', 'medium', true],
    ['gpt-5.2', 'low', false],
    ['gpt-5.1-high', undefined, false],
    ['gpt-5.6', undefined, false],
    ['gpt-5.1-codex', 'none', false],
    ['gpt-5.2-pro', undefined, false],
    ['gpt-5', undefined, false],
    ['gpt-5-mini', 'none', false],
    ['o3', undefined, false],
  ])('%s with effort %s: the temperature is forwarded: %s; otherwise its loss is reported', (model, effort, stays) => {
    const { body, dropped } = build(JSON.stringify({ model, temperature: 0.3, reasoning_effort: effort }));
    expect(JSON.parse(body).temperature).toBe(stays ? 0.3 : undefined);
    expect(dropped.includes('temperature')).toBe(!stays);
  });

  it.each([
    ['gpt-6.1-sol', 'none', 'low'],
    ['gpt-6.1-sol', 'minimal', 'low'],
    ['gpt-6-luna', 'minimal', 'low'],
    ['gpt-5.1', 'max', 'high'],
    ['gpt-5.2', 'max', 'xhigh'],
    ['gpt-5-mini', 'none', 'minimal'],
    ['gpt-9-nova', 'none', 'low'],
  ])('%s does not support the effort %s: it gets %s, which is reported', (model, effort, sent) => {
    const { body, dropped } = build(JSON.stringify({ model, reasoning_effort: effort }));
    expect([JSON.parse(body).reasoning_effort, dropped]).toEqual([sent, ['reasoning_effort']]);
  });

  it.each(['gpt-6', 'gpt-6-sol', 'gpt-6.1-sol', 'gpt-6-astra'])('%s thinks: rejected fields are not sent', (model) => {
    const requested = { model, max_tokens: 9, temperature: 0.3, stop: 'x', messages: [{ role: 'system', content: 'a' }] };
    const { body, dropped } = build(JSON.stringify(requested));
    expect(JSON.parse(body)).toEqual({ model, max_completion_tokens: 9, messages: [{ role: 'developer', content: 'a' }] });
    expect([...dropped].toSorted()).toEqual(['stop', 'temperature']);
  });

  it('judges the temperature by the effort that the channel sets', () => {
    const channel = { param_override: '{"reasoning_effort":"high"}' };
    expect(build('{"model":"gpt-5.1","temperature":0.3}', { channel })).toMatchObject({ dropped: ['temperature'] });
  });

  it('does not report a dropped temperature that is the default of the model', () => {
    expect(build('{"model":"o3","temperature":1}')).toMatchObject({ dropped: [], body: '{"model":"o3"}' });
  });

  it('is refused if the provider does not support the kind of call', () => {
    expect(() => build('{"model":"m","input":"a"}', { kind: callKinds.embeddings, channel: { type: 43 } })).toThrow(AppError);
  });

  it('leaves the prefix to the Cloudflare gateway', () => {
    const channel = { base_url: 'https://gateway.ai.cloudflare.com/v1/acct/gw/openai/' };
    expect(build('{"model":"m"}', { channel })).toMatchObject({
      origin: 'https://gateway.ai.cloudflare.com',
      path: '/v1/acct/gw/openai/chat/completions',
    });
    const azure = { type: 3, base_url: 'https://gateway.ai.cloudflare.com/v1/acct/gw/azure-openai/res' };
    expect(build('{"model":"gpt-3.5"}', { channel: azure }).path).toBe(
      '/v1/acct/gw/azure-openai/res/gpt-35/chat/completions?api-version=2024-12-01-preview',
    );
  });

  it('cannot escape the path by a model name', () => {
    const channel = { type: 8, base_url: 'https://up.example/{model}/chat?x=1' };
    expect(build('{"model":"a?b#c d/$&"}', { channel })).toMatchObject({
      origin: 'https://up.example',
      path: '/a%3Fb%23c%20d/$&/chat?x=1',
    });
  });

  it('drops fields that mistral rejects, also in messages', () => {
    const text = JSON.stringify({
      model: 'mistral-small-latest',
      messages: [{ role: 'assistant', content: 'a', refusal: null, annotations: [], tool_calls: [] }],
      max_completion_tokens: 7,
      user: 'u',
      safe_prompt: true,
    });
    expect(JSON.parse(build(text, { channel: { type: 42 } }).body)).toEqual({
      model: 'mistral-small-latest',
      messages: [{ role: 'assistant', content: 'a', tool_calls: [] }],
      max_tokens: 7,
      safe_prompt: true,
    });
  });
});

describe('the usage option', () => {
  const add = (stream_options: unknown) => JSON.parse(build(JSON.stringify({ model: 'm', stream: true, stream_options })).body);
  it('is added unless it is already present', () => {
    const wish = { include_usage: true };
    expect(add(wish).stream_options).toEqual(wish);
    for (const options of [undefined, null, [], { include_usage: 1 }]) expect(add(options).stream_options).toEqual(wish);
  });
});
