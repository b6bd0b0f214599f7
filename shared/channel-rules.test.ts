import { expect, test } from 'vitest';
import { baseUrlProblem, channelKeys, isChannelKey, isChannelText, longestBaseUrl, tidyBaseUrl } from '#shared/channel-rules.ts';

test.each([
  ['', undefined],
  [' https://api.example.com// ', undefined],
  ['https://gateway.example/{model}/v1', undefined],
  ['http://[::1]:8080', undefined],
  ['ftp://api.example.com', 'base_url_scheme'],
  ['api.example.com', 'base_url_scheme'],
  ['https://', 'base_url_invalid'],
  ['https://exa mple.com', 'base_url_characters'],
  ['https://{model}.example.com', 'base_url_host'],
  ['https://user@example.com', 'base_url_credentials'],
  ['https://example.com/#a', 'base_url_fragment'],
  [`https://example.com/${'a'.repeat(longestBaseUrl)}`, 'base_url_long'],
])('baseUrlProblem(%j)', (typed, problem) => {
  expect(baseUrlProblem(typed)).toBe(problem);
});

test('an address is stored without trailing slashes', () => {
  expect(tidyBaseUrl(' https://example.com/v1// ')).toBe('https://example.com/v1');
});

test('keys stand one per line, each once', () => {
  expect(channelKeys(' sk-a \r\nsk-b\n\nsk-a')).toEqual(['sk-a', 'sk-b']);
  expect(isChannelKey('AK|SK region')).toBe(true);
  expect(isChannelKey('sk-é')).toBe(false);
  expect(isChannelKey('sk\t')).toBe(false);
});

test('texts are one line that can be stored', () => {
  expect(isChannelText('😀'.repeat(255))).toBe(true);
  expect(isChannelText('a'.repeat(256))).toBe(false);
  expect(isChannelText('a\nb')).toBe(false);
  expect(isChannelText('\ud800')).toBe(false);
});
