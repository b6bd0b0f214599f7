import { describe, expect, it, test } from 'vitest';
import type { Option } from '#shared/options.ts';
import { batchBody, changesOf, type Drafts, draftProblems, overtaken, rebased, typed, withoutSecrets } from './option-drafts.ts';

const retry = { key: 'RetryTimes', value: '3', revision: 4 };
const none: Drafts = new Map();
const type = (drafts: Drafts, text: string) => typed(drafts, { key: 'RetryTimes', text, shown: '3', option: retry });

describe('drafts of settings', () => {
  test('only what was changed is saved, with the revision it began from', () => {
    const drafts = typed(type(none, '5'), {
      key: 'RegisterEnabled',
      text: 'false',
      shown: 'true',
      option: { key: 'RegisterEnabled', value: 'true', revision: 0 },
    });
    expect(batchBody(drafts)).toEqual({
      options: [
        { key: 'RetryTimes', value: '5', revision: 4 },
        { key: 'RegisterEnabled', value: 'false', revision: 0 },
      ],
    });
  });

  test('typing the old value again leaves nothing to save', () => {
    expect(type(type(none, '5'), ' 3').size).toBe(0);
  });

  test('the base stays the one the typing began from, whatever arrives meanwhile', () => {
    const drafts = typed(type(none, '5'), { key: 'RetryTimes', text: '6', shown: '9', option: { ...retry, value: '9', revision: 5 } });
    expect(drafts.get('RetryTimes')).toEqual({ text: '6', base: { value: '3', revision: 4 } });
  });

  test('values that the server would refuse are found before it is asked', () => {
    expect([...draftProblems(type(none, '-1'))]).toEqual([
      ['RetryTimes', { code: 'option_out_of_range', details: { key: 'RetryTimes', min: 0, max: 100 } }],
    ]);
    expect(draftProblems(type(none, '7')).size).toBe(0);
  });

  test('a value that somebody changed meanwhile is a conflict, one that only got a new revision is not', () => {
    const drafts = type(none, '5');
    expect([...overtaken(drafts, [{ ...retry, value: '9', revision: 5 }])]).toEqual([['RetryTimes', { value: '9', revision: 5 }]]);
    const reported = { ...retry, value: '9', revision: 5, updated_by: 'mira', updated_at: 1_795_000_000 };
    expect(overtaken(drafts, [reported]).get('RetryTimes')).toEqual({
      value: '9',
      revision: 5,
      changedBy: 'mira',
      changedAt: 1_795_000_000,
    });
    expect(overtaken(drafts, [{ ...retry, revision: 6 }]).size).toBe(0);
    expect(overtaken(drafts, [{ ...retry, value: '5', revision: 5 }]).size).toBe(0);
    expect(overtaken(drafts, [retry]).size).toBe(0);
  });

  test('an edit goes out on the newest revision of an unchanged value', () => {
    const drafts = rebased(type(none, '5'), [{ ...retry, revision: 6 }]);
    expect(batchBody(drafts)).toEqual({ options: [{ key: 'RetryTimes', value: '5', revision: 6 }] });
    expect(batchBody(rebased(type(none, '5'), [{ ...retry, value: '9', revision: 6 }])).options[0]?.revision).toBe(4);
  });
});

describe('drafts of secrets', () => {
  const secret: Option = { key: 'SMTPToken', value: '', revision: 2, isSet: true };
  const draft = (text: string) => typed(new Map(), { key: 'SMTPToken', text, shown: '', option: secret });

  it('are kept even when they are empty: that removes the secret', () => {
    expect(draft('').get('SMTPToken')?.text).toBe('');
    expect(draft('new').get('SMTPToken')?.base.revision).toBe(2);
  });

  it('are in conflict with every other change, and are never moved onto one by themselves', () => {
    const now = [{ ...secret, revision: 3, updated_by: 'ops', updated_at: 5 }];
    expect(overtaken(draft('new'), now).get('SMTPToken')).toMatchObject({ revision: 3, changedBy: 'ops' });
    expect(rebased(draft('new'), now).get('SMTPToken')?.base.revision).toBe(2);
  });

  it('do not wait on the device', () => {
    const drafts: Drafts = new Map([...draft('new'), ['SystemName', { text: 'x', base: { value: 'y', revision: 1 } }]]);
    expect([...withoutSecrets(drafts).keys()]).toEqual(['SystemName']);
  });
});

it('changes are counted by values: of a map, its entries', () => {
  const base = (value: string) => ({ value, revision: 1 });
  const drafts: Drafts = new Map([
    ['ModelRatio', { text: '{"a":2,"c":3}', base: base('{"a":1,"b":1}') }],
    ['SystemName', { text: 'x', base: base('y') }],
    ['ModelPrice', { text: '{', base: base('{}') }],
  ]);
  expect(changesOf(drafts, [])).toBe(5);
  // Over an edit that waits, back to what the server has: it is to be saved all the same.
  expect(changesOf(new Map([['ModelRatio', { text: '{ "a": 1 }', base: base('{"a":1}') }]]), [])).toBe(1);
  expect(changesOf(new Map(), [])).toBe(0);
});

it('changed prices are counted by what calls cost, not by the ratios that they are kept as', () => {
  const base = (value: string) => ({ value, revision: 1 });
  const drafts: Drafts = new Map([
    ['ModelRatio', { text: '{"a":2,"b":1}', base: base('{"a":1,"b":1}') }],
    ['CompletionRatio', { text: '{"a":2}', base: base('{"a":4}') }],
  ]);
  // Of `a` the input price; its output price stays.
  expect(changesOf(drafts, [])).toBe(1);
});
