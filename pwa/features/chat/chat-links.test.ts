import { describe, expect, test } from 'vitest';
import { type Token, TokenStatus } from '#shared/tokens.ts';
import { chatAddress } from '#pwa/api/token-key.ts';
import { chatLinks, ownChatTemplate } from '#pwa/api/chat-links.ts';
import { chatKeys } from './queries.ts';

const tokenOf = (name: string, fields: Partial<Token> = {}): Token => ({
  id: 1,
  user_id: 1,
  key: name.padEnd(48, 'x'),
  name,
  status: TokenStatus.enabled,
  created_time: 0,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: true,
  used_quota: 0,
  full_mark: 0,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: '',
  DeletedAt: null,
  revision: 1,
  ...fields,
});
const now = 1_000_000;
const used = { unlimited_quota: false, remain_quota: 0 };

describe('the tokens that chat applications may be given', () => {
  test.each([
    ['none', [], []],
    [
      'only those that are enabled',
      [tokenOf('off', { status: TokenStatus.disabled }), tokenOf('gone', { status: TokenStatus.exhausted })],
      [],
    ],
    ['in their order', [tokenOf('off', { status: TokenStatus.disabled }), tokenOf('first'), tokenOf('second')], ['first', 'second']],
    ['those that can pay first', [tokenOf('used', used), tokenOf('good')], ['good', 'used']],
    [
      'those that have not expired first',
      [tokenOf('old', { expired_time: 999 }), tokenOf('good', { expired_time: 1001 })],
      ['good', 'old'],
    ],
    ['none whose key is masked', [tokenOf('masked', { key: 'abc**********xyz' })], []],
  ])('%s', (_name, tokens, expected) => {
    const found = chatKeys(tokens, now);
    expect(found.map(({ name }) => name)).toEqual(expected);
    for (const { name, key } of found) expect(key).toBe(`sk-${tokens.find((token) => token.name === name)?.key}`);
  });
});

describe('chat links', () => {
  test('keep the order of the setting', () => {
    expect(chatLinks({ chats: [{ One: 'https://one.example' }, { Two: 'ama://x?k={key}' }] })).toEqual([
      { name: 'One', template: 'https://one.example' },
      { name: 'Two', template: 'ama://x?k={key}' },
    ]);
    expect(chatLinks(undefined)).toEqual([]);
  });

  test('the own chat page gets the key and the address as such pages read them', () => {
    const template = ownChatTemplate({ chat_link: 'https://chat.example/' });
    const address = chatAddress(template, { key: 'sk-abc', address: 'https://gate.example' });
    expect(address).toBe('https://chat.example/#/?settings={"key":"sk-abc","url":"https%3A%2F%2Fgate.example"}');
    expect(ownChatTemplate({ chat_link: '' })).toBe('');
    expect(chatAddress(ownChatTemplate({ chat_link: 'javascript:alert(1)//' }), { key: 'sk-abc', address: '' })).toBeUndefined();
  });
});
