import { describe, expect, test } from 'vitest';
import { createFormat, splitLeadingZeros } from './format.ts';

const zh = createFormat({ language: 'zh', quotaPerUnit: 500_000, inCurrency: true, timeZone: 'Asia/Shanghai' });
const en = createFormat({ language: 'en', quotaPerUnit: 500_000, inCurrency: true, timeZone: 'UTC' });
const units = createFormat({ language: 'en', quotaPerUnit: 500_000, inCurrency: false });
const afternoon = Date.UTC(2026, 10, 21, 6, 31, 57) / 1000;

describe('money', () => {
  test('a balance is dollars with two decimals, or whole quota units with currency display off', () => {
    expect(zh.quota(6_420_000)).toBe('$12.84');
    expect(zh.quotaBare(6_420_000)).toBe('12.84');
    expect(units.quota(6_420_000)).toBe('6,420,000');
  });

  test('an amount that is taken at its word is not rounded', () => {
    expect(zh.quotaExact(23_000)).toBe('$0.046');
    expect(zh.quotaExact(2_500_000)).toBe('$5.00');
    expect(zh.quotaExact(1)).toBe('$0.000002');
    expect(units.quotaExact(23_000)).toBe('23,000');
  });

  test('a debt has a true minus before the unit, and nothing is never negative', () => {
    expect(zh.quota(-60_000)).toBe('−$0.12');
    expect(zh.quota(-1)).toBe('−$0.000002');
    expect(zh.quota(0)).toBe('$0.00');
    expect(zh.quota(1_932)).toBe('$0.0039');
    expect(zh.quotaChange(10_000_000)).toBe('+$20.00');
    expect(zh.quotaChange(-10_000_000)).toBe('−$20.00');
  });

  test('in a column every amount has two decimals, and what is not nothing never reads as nothing', () => {
    expect([0, 1, 65, 2_499, 2_500, 4_999, 6_420_000].map(zh.quotaBare)).toEqual([
      '0.00',
      '<0.01',
      '<0.01',
      '<0.01',
      '0.01',
      '0.01',
      '12.84',
    ]);
    expect([-1, -60_000].map(zh.quotaBare)).toEqual(['>−0.01', '−0.12']);
    expect(units.quotaBare(1)).toBe('1');
  });

  test('a charge has six decimals, so that the smallest unit is seen', () => {
    expect(zh.charge(17_877)).toBe('0.035754');
    expect(zh.charge(1)).toBe('0.000002');
    expect(units.charge(17_877)).toBe('17,877');
  });

  test('leading zeros of a charge are split from the digits that show its size', () => {
    expect(splitLeadingZeros('0.000414')).toEqual({ zeros: '0.000', digits: '414' });
    expect(splitLeadingZeros('+0.000002')).toEqual({ zeros: '+0.00000', digits: '2' });
    expect(splitLeadingZeros('41.870213')).toEqual({ zeros: '', digits: '41.870213' });
    expect(splitLeadingZeros('0.000000')).toEqual({ zeros: '', digits: '0.000000' });
  });

  test('a price has at least two decimals and as many as it needs, without binary dust', () => {
    expect(en.price(3)).toBe('3.00');
    expect(en.price(0.075)).toBe('0.075');
    expect(en.price(0.1 + 0.2)).toBe('0.30');
    expect(en.price(0.000_000_5)).toBe('0.0000005');
    expect(en.factor(0.8)).toBe('× 0.8');
  });
});

describe('counts', () => {
  test('counts are grouped; long ones are shortened from ten thousand on', () => {
    expect(en.count(1284)).toBe('1,284');
    expect(en.countShort(9999)).toBe('9,999');
    expect([10_000, 12_345, 999_949].map(en.countShort)).toEqual(['10.0k', '12.3k', '999.9k']);
    expect([999_950, 4_600_000].map(en.countShort)).toEqual(['1.0M', '4.6M']);
    expect([999_950_000, 1_200_000_000].map(en.countShort)).toEqual(['1.0B', '1.2B']);
  });
});

test('a part of a whole has two decimals below a percent, and none from ten percent on', () => {
  expect([0, 0.0004, 0.0049, 0.005, 0.2403, 1].map(en.wholePercent)).toEqual(['0%', '<1%', '<1%', '1%', '24%', '100%']);
  expect([0.0004, 0.0268, 0.0996, 0.2403, 1].map(en.share)).toEqual(['0.04%', '2.7%', '10%', '24%', '100%']);
});

describe('times', () => {
  test('dates are written as each language writes them, in the given zone', () => {
    expect(zh.dateTime(afternoon)).toBe('2026-11-21 14:31:57');
    expect(en.dateTime(afternoon)).toBe('21 Nov 2026, 06:31:57');
    expect(zh.day(afternoon)).toBe('11月21日 周六');
    expect(en.day(afternoon)).toBe('Sat 21 Nov');
    expect(zh.clock(afternoon)).toBe('14:31');
    expect(zh.dayKey(Date.UTC(2026, 10, 21, 16, 30) / 1000)).toBe('2026-11-22');
  });

  test('midnight is 00, not 24', () => {
    expect(en.time(Date.UTC(2026, 0, 1) / 1000)).toBe('00:00:00');
  });

  test('durations are milliseconds below a second, else seconds', () => {
    expect(en.duration(312.4)).toBe('312 ms');
    expect(en.duration(5132)).toBe('5.1 s');
    expect(en.duration(59_900)).toBe('59.9 s');
  });

  test('long durations are minutes, then hours', () => {
    expect(en.duration(59_960)).toBe('1 min 0 s');
    expect(en.duration(131_000)).toBe('2 min 11 s');
    expect(en.duration(725_000)).toBe('12 min 5 s');
    expect(en.duration(25_762_000)).toBe('7 h 9 min');
    expect(en.duration(3_599_990)).toBe('1 h 0 min');
  });

  test('a distance in time is told in the largest whole unit', () => {
    const reported = createFormat({ language: 'en', quotaPerUnit: 1, inCurrency: true, agoText: (unit, amount) => `${amount} ${unit}` });
    expect(reported.ago(1000, 1059)).toBe('0 now');
    expect(reported.ago(1000, 1180)).toBe('3 minutes');
    expect(reported.ago(1000, 1000 + 7200)).toBe('2 hours');
    expect(reported.ago(1000, 1000 + 3 * 86_400)).toBe('3 days');
  });
});

test('a day of another zone is the same day in every zone', () => {
  const west = createFormat({ language: 'en', quotaPerUnit: 500_000, inCurrency: true, timeZone: 'America/Los_Angeles' });
  for (const format of [en, west])
    expect(['2026-11-01', '2026-11-30', ''].map(format.calendarDay)).toEqual(['1 Nov 2026', '30 Nov 2026', '']);
  expect(zh.calendarDay('2026-11-01')).toBe('2026-11-01');
});
