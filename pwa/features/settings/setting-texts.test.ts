import { describe, expect, test } from 'vitest';
import { mapChanges, parseMap } from '#shared/settings.ts';
import { editableText, isSameValue, mergedMap, mergeMaps } from './setting-texts.ts';

const map = (text: string) => {
  const parsed = parseMap(text);
  if (parsed === null) throw new Error('not a map');
  return parsed;
};

describe('texts of settings', () => {
  test('the same value in another writing is no change', () => {
    expect(isSameValue('ModelRatio', '{"a":1,"b":2}', '{\n  "b": 2.0,\n  "a": 1\n}')).toBe(true);
    expect(isSameValue('ModelRatio', '{"a":1}', '{"a":1,"b":2}')).toBe(false);
    expect(isSameValue('RetryTimes', '3', ' 3 ')).toBe(true);
    expect(isSameValue('RegisterEnabled', 'true', '1')).toBe(true);
    expect(isSameValue('QuotaPerUnit', '500000', '5e5')).toBe(true);
    expect(isSameValue('SystemName', 'Tide', 'Tidegate')).toBe(false);
    expect(isSameValue('Chats', '[{"One":"https://one.example"}]', '[\n  { "One": "https://one.example" }\n]')).toBe(true);
    expect(isSameValue('Chats', '[{"One":"https://one.example"}]', '[{"One":"https://two.example"}]')).toBe(false);
    expect(isSameValue('EmailDomainWhitelist', 'a.example,b.example', 'b.example,a.example')).toBe(false);
  });

  test('a text that is no map yet is a change and is left as it is typed', () => {
    expect(isSameValue('ModelRatio', '{"a":1}', '{"a":')).toBe(false);
    expect(editableText('ModelRatio', '{"a":')).toBe('{"a":');
    expect(editableText('ModelRatio', '{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(parseMap('[1]')).toBeNull();
    expect(parseMap('{"a":true}')).toBeNull();
  });

  test('changes of a map are additions, removals and other values', () => {
    expect(mapChanges(map('{"a":1,"b":2,"c":3}'), map('{"a":1,"b":5,"d":4}'))).toEqual([
      { name: 'b', from: 2, to: 5 },
      { name: 'c', from: 3, to: undefined },
      { name: 'd', from: undefined, to: 4 },
    ]);
  });
});

describe('two edits of one map', () => {
  const base = map('{"in":0.15,"out":0.6,"old":1}');

  test('entries that only one side changed are merged, one that both changed is a conflict', () => {
    const mine = map('{"in":0.165,"out":0.66,"old":1}');
    const theirs = map('{"in":0.15,"out":0.72,"old":1,"new":2}');
    const merge = mergeMaps({ base, mine, theirs });
    expect(merge).toEqual({
      conflicts: [{ name: 'out', base: 0.6, mine: 0.66, theirs: 0.72 }],
      mine: [{ name: 'in', from: 0.15, to: 0.165 }],
      theirs: [{ name: 'new', from: undefined, to: 2 }],
    });
    expect(Object.fromEntries(mergedMap(theirs, merge, new Map([['out', 0.7]])))).toEqual({ in: 0.165, out: 0.7, old: 1, new: 2 });
    expect(Object.fromEntries(mergedMap(theirs, merge, new Map()))).toEqual({ in: 0.165, out: 0.66, old: 1, new: 2 });
  });

  test('the same change by both is no conflict', () => {
    const both = map('{"in":0.2,"out":0.6,"old":1}');
    expect(mergeMaps({ base, mine: both, theirs: both })).toEqual({ conflicts: [], mine: [], theirs: [] });
  });

  test('a removal against a change is a conflict, and either can win', () => {
    const mine = map('{"in":0.15,"out":0.6}');
    const theirs = map('{"in":0.15,"out":0.6,"old":3}');
    const merge = mergeMaps({ base, mine, theirs });
    expect(merge.conflicts).toEqual([{ name: 'old', base: 1, mine: undefined, theirs: 3 }]);
    expect(mergedMap(theirs, merge, new Map()).has('old')).toBe(false);
    expect(mergedMap(theirs, merge, new Map([['old', 3]])).get('old')).toBe(3);
  });
});
