import { describe, expect, test } from 'vitest';
import { movesKey } from './key-destination.ts';

const own = { type: 1, base_url: '', setting: '' };
const hosted = { type: 1, base_url: 'https://gateway.example.com/tenant/v1', setting: '{"proxy":"http://proxy.example.com:8080"}' };

describe('the destination of a key', () => {
  test.each([
    ['nothing changes', own, own],
    ['the provider’s own address is written out', own, { ...own, base_url: 'https://api.openai.com/' }],
    ['a path becomes shorter', hosted, { ...hosted, base_url: 'https://gateway.example.com/tenant' }],
    ['a host is written in capitals', hosted, { ...hosted, base_url: 'https://GATEWAY.example.com/tenant' }],
    ['the proxy is left out', hosted, { ...hosted, setting: '{"force_format":true}' }],
    [
      'another setting changes beside the proxy',
      hosted,
      { ...hosted, setting: '{"proxy":" http://proxy.example.com:8080 ","force_format":true}' },
    ],
    ['the type changes at the same address', hosted, { ...hosted, type: 8 }],
  ])('does not move when %s', (_what, before, after) => {
    expect(movesKey(before, after)).toBe(false);
  });

  test.each([
    ['another host', own, { ...own, base_url: 'https://api.openai.com.example.net' }],
    ['another port', hosted, { ...hosted, base_url: 'https://gateway.example.com:8443/tenant/v1' }],
    ['no encryption', own, { ...own, base_url: 'http://api.openai.com' }],
    ['another path on the same host', hosted, { ...hosted, base_url: 'https://gateway.example.com/other/v1' }],
    ['a longer path', hosted, { ...hosted, base_url: 'https://gateway.example.com/tenant/v1/more' }],
    ['half a part of the path', hosted, { ...hosted, base_url: 'https://gateway.example.com/ten' }],
    ['a longer host', { ...own, base_url: 'https://example.com' }, { ...own, base_url: 'https://example.com.evil.net' }],
    ['a type with another address of its own', own, { ...own, type: 43 }],
    ['the address of the type instead of its own', hosted, { ...hosted, base_url: '' }],
    ['a proxy', own, { ...own, setting: '{"proxy":"socks5://203.0.113.9:1080"}' }],
    ['another proxy', hosted, { ...hosted, setting: '{"proxy":"http://203.0.113.9:8080"}' }],
    ['a proxy given twice', hosted, { ...hosted, setting: '{"proxy":"http://proxy.example.com:8080","proxy":"http://203.0.113.9"}' }],
    ['a type that nobody offers', own, { ...own, type: 999 }],
  ])('moves with %s', (_what, before, after) => {
    expect(movesKey(before, after)).toBe(true);
  });
});
