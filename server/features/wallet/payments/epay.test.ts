import { describe, expect, it } from 'vitest';
import { epaySign } from './epay.ts';

const form = {
  type: 'alipay',
  pid: '1042',
  out_trade_no: 'USR7NOaB3xYz1795334400',
  notify_url: 'https://tide.example/api/user/epay/notify',
  return_url: 'https://tide.example/topup',
  name: 'TUC20',
  money: '138.70',
  device: 'pc',
};

// The sums were made with `printf '%s' '<sorted fields><key>' | md5sum`.
describe('the Epay signature', () => {
  it.each([
    ['two fields, sorted', { b: '2', a: '1' }, 'key', '1c123a5dc12e90deeaa1cd94681f0d88'],
    ['a whole form', form, 'k7Q2xV9mP4sT8wZ1', '00c08cf10e42190af449f143fc0b8713'],
    ['a signed form', { ...form, sign: 'x', sign_type: 'MD5', param: '' }, 'k7Q2xV9mP4sT8wZ1', '00c08cf10e42190af449f143fc0b8713'],
    [
      'Chinese, blanks and signs, not escaped',
      { trade_status: 'TRADE_SUCCESS', name: '充值 100%', money: '1.00' },
      '密钥',
      'cea4d17669f0b54fb09789619377b3be',
    ],
    ['names in the order of their bytes', { a_b: '3', a: '2', A: '1' }, 'key', '9a97d26282613c411de5f9badcdd8f2a'],
  ])('%s', (_what, fields, key, sign) => {
    expect(epaySign(fields, key)).toBe(sign);
  });
});
