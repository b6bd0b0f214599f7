import { describe, expect, it } from 'vitest';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { parseChannelSetting, parseModelMapping, parseParamOverride, parseStatusCodeMapping } from './channel-json.ts';

describe('the JSON texts of a channel', () => {
  it('may be empty', () => {
    for (const text of ['', ' ', '{}']) {
      expect(parseModelMapping(text)?.size).toBe(0);
      expect(parseStatusCodeMapping(text)?.size).toBe(0);
      expect(parseParamOverride(text)).toEqual({ fields: {} });
      expect(parseChannelSetting(text)).toEqual({
        forceFormat: false,
        thinkingToContent: false,
        proxy: null,
        abortsAbandoned: false,
        formats: [],
      });
    }
  });

  it('may be edits by path in place of fields, which are checked', () => {
    const operations = [{ mode: 'set', path: 'a.b', value: 1, conditions: [{ path: 'model', mode: 'prefix', value: 'x' }] }];
    expect(parseParamOverride(JSON.stringify({ operations }))).toEqual({ fields: {}, operations });
    for (const wrong of [{ mode: 'regex_replace', path: 'a' }, { mode: 'set' }, { mode: 'move', from: 'a' }, { path: 'a' }, 'set']) {
      expect(parseParamOverride(JSON.stringify({ operations: [wrong] })), JSON.stringify(wrong)).toBeNull();
    }
  });

  it('are rejected if they do not match their schema', () => {
    for (const text of ['{', '[]', '1', '"a"', 'null', '[{"a":"b"}]']) {
      expect(parseModelMapping(text)).toBeNull();
      expect(parseStatusCodeMapping(text)).toBeNull();
      expect(parseParamOverride(text)).toBeNull();
      expect(parseChannelSetting(text)).toBeNull();
    }
    expect(parseModelMapping('{"a":1}')).toBeNull();
    expect(parseStatusCodeMapping('{"400":"abc"}')).toBeNull();
    expect(parseStatusCodeMapping('{"x":"500"}')).toBeNull();
    expect(parseStatusCodeMapping('{"500":200}')).toBeNull();
    expect(parseChannelSetting('{"force_format":"yes"}')).toBeNull();
  });

  it('drop empty targets of models, and accept statuses as text or number', () => {
    expect(parseModelMapping('{"a":"b","c":""}')).toEqual(new Map([['a', 'b']]));
    expect(parseStatusCodeMapping('{"400":"500","404":503}')).toEqual(
      new Map([
        [400, 500],
        [404, 503],
      ]),
    );
  });

  it('accept known proxy schemes only', () => {
    for (const proxy of ['http://127.0.0.1:8080', 'https://u:p@proxy.example', 'socks5://proxy.example:1080']) {
      expect(parseChannelSetting(JSON.stringify({ proxy, future: 1 }))?.proxy).toBe(proxy);
    }
    for (const proxy of ['ftp://a.example', 'proxy.example:80', 'socks4://a', 'http://'])
      expect(parseChannelSetting(JSON.stringify({ proxy }))).toBeNull();
    expect(parseChannelSetting('{"proxy":""}')?.proxy).toBeNull();
  });
});

describe('a misconfigured channel', () => {
  it.each([
    ['an unknown type', { type: 999 }],
    ['no base URL where one is needed', { type: 8 }],
    ['a base URL without scheme', { base_url: 'api.example.com' }],
    ['a base URL of another kind', { base_url: 'file:///etc/passwd' }],
    ['a base URL with a password', { base_url: 'https://u:p@api.example.com' }],
    ['a mapping that is not JSON', { model_mapping: '{a' }],
    ['an override that is no object', { param_override: '[]' }],
    ['a wrong setting', { setting: '{"proxy":1}' }],
    ['a key that no header can carry', { key: 'sk-a\r\nx-evil: 1' }],
    ['a key with other letters', { key: 'sk-é' }],
    ['an organization with a line break', { openai_organization: 'a\nb' }],
    ['a key of the wrong form', { type: 26, key: 'nodot' }],
  ])('reports its problem: %s', (_what, fields) => {
    const { problem } = buildPreparedChannel(fields);
    expect(problem).not.toBeNull();
    expect(JSON.stringify(problem)).not.toContain('sk-');
  });

  it('has a problem, and a valid one has none', () => {
    expect(buildPreparedChannel({ base_url: ' http://10.0.0.7:9997/x/ ' })).toMatchObject({
      problem: null,
      base: 'http://10.0.0.7:9997/x',
    });
    expect(buildPreparedChannel({ status_code_mapping: 'broken' }).problem).toBeNull();
    expect(buildPreparedChannel({ models: ' a, b ,a,,', group: 'default,vip ' })).toMatchObject({
      models: ['a', 'b'],
      groups: ['default', 'vip'],
    });
  });
});
