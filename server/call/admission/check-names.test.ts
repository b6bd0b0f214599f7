// The scan of names says which members a body may have; code that looks for the others skips the body, and must find nothing there.
import { describe, expect, it } from 'vitest';
import { buildPreparedChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { routedRequest } from '#tests/support/routed-request.ts';
import { chatNames } from '#server/formats/openai-chat/critical-members.ts';
import { openaiChatClient } from '#server/formats/openai-chat/client.ts';
import { seenName, type SeenNames } from '#server/formats/seen-names.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { rawOf } from './call-content.ts';
import { checkNames } from './check-names.ts';

function scan(text: string): SeenNames {
  const value = JSON.parse(text);
  return checkNames(value, text, { ...rawOf(value).raw, hasEscapedNames: text.includes('\\u') }, chatNames);
}

function messages(...list: readonly string[]): string {
  return `{"model":"gpt-4o","messages":[${list.join(',')}]}`;
}

const question = '{"role":"user","content":"Hi"}';

describe('seen names', () => {
  it('contain no critical name for a body of texts', () => {
    expect(scan(messages('{"role":"system","content":"Be short"}', question))).toBe(0);
  });

  it('contain critical names at any depth, also escaped ones', () => {
    expect(scan(messages('{"role":"tool","tool_call_id":"a","content":""}'))).toBe(seenName.toolCalls);
    expect(scan(messages('{"role":"tool","tool\\u005fcall_id":"a","content":""}'))).toBe(seenName.toolCalls);
    expect(scan(messages('{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}'))).toBe(
      seenName.cache,
    );
    expect(scan(`{"prompt_cache_options":{"ttl":"24h"},${messages(question).slice(1)}`)).toBe(seenName.cache);
  });

  it('contain critical names in unknown members of a message', () => {
    expect(scan(messages('{"role":"user","content":"Hi","other":{"prompt_cache_breakpoint":{"ttl":"24h"}}}'))).toBe(seenName.cache);
  });
});

const channels: Record<string, ChannelFields> = {
  openai: {},
  mapped: { model_mapping: '{"gpt-4o":"o3-mini"}' },
  deepseek: { type: 43 },
  mistral: { type: 42 },
  moonshot: { type: 25 },
};
const bodies = {
  texts: messages(question),
  'a fileid in the instructions': messages('{"role":"system","content":"fileid://file-1"}', question),
  'tool calls': messages(
    '{"role":"assistant","content":[],"tool_calls":[{"id":"call 1","type":"function","function":{"name":"f","arguments":""}}]}',
    '{"role":"tool","tool_call_id":"call 1","content":"1"}',
  ),
  'a result alone': messages('{"role":"tool","tool_call_id":"call 1 !","content":"1"}'),
  'a marked message': messages('{"role":"user","content":"Hi","prompt_cache_breakpoint":{"ttl":"24h"}}'),
  'a mark within other content': messages('{"role":"user","content":"Hi","other":{"prompt_cache_breakpoint":{"ttl":"24h"}}}'),
  'an effort and a temperature': `{"reasoning_effort":"minimal","temperature":0.5,"prompt_cache_retention":"24h",${messages(question).slice(1)}`,
  'another model': `{"MODEL":"gpt-5",${messages(question).slice(1)}`,
};

describe.each(Object.entries(channels))('a request to %s', (_name, channel) => {
  it.each(Object.entries(bodies))('has the same result with and without the scan: %s', (_body, text) => {
    const seen = text.includes('MODEL') ? 0 : scan(text);
    expect(sent(text, channel, seen)).toEqual(sent(text, channel, undefined));
  });
});

function sent(rawText: string, channel: ChannelFields, seen: SeenNames | undefined): unknown {
  const body = JSON.parse(rawText);
  try {
    const request = routedRequest({
      client: openaiChatClient,
      clientHeaders: {},
      settings: defaultSettings,
      kind: callKinds.chat,
      channel: buildPreparedChannel(channel),
      body,
      rawText,
      originModel: body.model,
      isStream: false,
      forceUsage: true,
      seen,
    });
    if (request instanceof Promise) throw new Error('A bearer token needs no waiting');
    const { upstreamModel, dropped, writesLong, reasoningEffort } = request;
    return { body: request.body.toString(), upstreamModel, dropped, writesLong, reasoningEffort };
  } catch (refusal) {
    return String(refusal);
  }
}
