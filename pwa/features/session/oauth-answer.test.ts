import { expect, test } from 'vitest';
import { telegramFields } from './oauth-answer.ts';

test('what Telegram puts behind the # is read, letters of every alphabet included', () => {
  const answer = { id: 99, first_name: '林 & Co ÿ?>', auth_date: 1_790_000_000, hash: 'ab' };
  const packed = Buffer.from(JSON.stringify(answer)).toString('base64url');
  expect(telegramFields(`#tgAuthResult=${packed}`)).toMatchObject({
    id: '99',
    first_name: '林 & Co ÿ?>',
    auth_date: '1790000000',
    hash: 'ab',
  });
});

test('anything else is no answer', () => {
  for (const hash of ['', '#tgAuthResult=', '#tgAuthResult=bm90IGpzb24', '#other']) expect(telegramFields(hash).hash).toBeUndefined();
});
