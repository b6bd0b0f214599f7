import { expect, test } from 'vitest';
import {
  baseUrlProblem,
  channelGroupsProblem,
  channelJsonProblem,
  channelKeys,
  channelModelsProblem,
  isChannelKey,
  isChannelText,
  longestBaseUrl,
  tidyBaseUrl,
} from '#shared/channel-rules.ts';

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

test('models are named, not too many, and each name can be stored', () => {
  expect(channelModelsProblem(['gpt-4o'])).toBeUndefined();
  expect(channelModelsProblem([])).toEqual({ problem: 'models_required' });
  expect(channelModelsProblem(Array.from({ length: 5001 }, (_, at) => `m${at}`))).toEqual({ problem: 'models_many' });
  expect(channelModelsProblem(['ok', 'a'.repeat(256)])).toEqual({ problem: 'model_long', model: 'a'.repeat(256) });
  expect(channelModelsProblem(['ok', 'a\u0000'])).toEqual({ problem: 'model_text', model: 'a\u0000' });
});

test('groups are not too many, and each name can be stored', () => {
  expect(channelGroupsProblem(['default', 'vip'])).toBeUndefined();
  expect(channelGroupsProblem(Array.from({ length: 201 }, (_, at) => `g${at}`))).toBe('groups_many');
  expect(channelGroupsProblem(['g'.repeat(65)])).toBe('group_text');
  expect(channelGroupsProblem(['\ud800'])).toBe('group_text');
});

test.each([
  ['model_mapping', '', undefined],
  ['model_mapping', '{"a":"b","c":null}', undefined],
  ['model_mapping', '{"a"', 'json'],
  ['model_mapping', '[]', 'json_object'],
  ['model_mapping', '{"a":1}', 'mapping_text'],
  ['status_code_mapping', '{"404":"500","500":503}', undefined],
  ['status_code_mapping', '{"40":"500"}', 'status_from'],
  ['status_code_mapping', '{"404":200}', 'status_to'],
  ['status_code_mapping', '"404"', 'json_object'],
  ['setting', '{"proxy":"socks5://127.0.0.1:1080","new":1}', undefined],
  ['setting', '{"proxy":" "}', undefined],
  ['setting', '{"proxy":"127.0.0.1:1080"}', 'setting_proxy'],
  ['setting', '{"proxy":"ftp://a"}', 'setting_proxy'],
  ['setting', '{"force_format":"yes"}', 'setting_switch'],
  ['setting', '{"on_client_gone":"stop"}', 'setting_client_gone'],
  ['setting', '{"formats":"openai-responses"}', 'setting_formats'],
  ['setting', '{"header_override":{"X-Team":"a","authorization":"Token {api_key}"}}', undefined],
  ['setting', '{"header_override":null}', undefined],
  ['setting', '{"header_override":"a"}', 'setting_headers'],
  ['setting', '{"header_override":{"x":1}}', 'setting_headers'],
  ['setting', '{"header_override":{"x y":"a"}}', 'setting_headers'],
  ['setting', '{"header_override":{"x":"a\\r\\ny: b"}}', 'setting_headers'],
  ['setting', '{"header_override":{"x":" "}}', 'setting_headers'],
  ['setting', '{"header_override":{"x":"潮"}}', 'setting_headers'],
  ['setting', '{"header_override":{"X":"a","x":"b"}}', 'setting_headers'],
  ['setting', '{"header_override":{"Content-Length":"1"}}', 'setting_headers'],
  ['setting', '{"header_override":{"Transfer-Encoding":"chunked"}}', 'setting_headers'],
  ['setting', '{"header_override":{"Host":"other"}}', 'setting_headers'],
  ['setting', '{"header_override":{"Proxy-Authorization":"a"}}', 'setting_headers'],
  ['param_override', '{"temperature":0}', undefined],
  ['param_override', '3', 'json_object'],
  ['param_override', '"\ud800"', 'json'],
] as const)('channelJsonProblem(%s, %j) is %j', (field, text, problem) => {
  expect(channelJsonProblem(field, text)).toBe(problem);
});

test('a file of credentials is one key, in one line of visible ASCII', () => {
  const file = { type: 'service_account', private_key: '-----BEGIN\nKEY-----', note: 'Größe 潮' };
  const [key = '', ...others] = channelKeys(`\n${JSON.stringify(file, null, 2)}\n`);
  expect(others).toEqual([]);
  expect(isChannelKey(key)).toBe(true);
  expect(JSON.parse(key)).toEqual(file);
  expect(channelKeys('{broken\nsk-b')).toEqual(['{broken', 'sk-b']);
});
