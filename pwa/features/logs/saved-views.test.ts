import { beforeEach, describe, expect, test, vi } from 'vitest';
import { changeTo, dropView, isSameView, storeView, mostViews, readViews, viewOf } from './saved-views.ts';

beforeEach(() => localStorage.clear());

describe('saved views of the log', () => {
  test('keep filters and range, not the place in the list', () => {
    const search = { range: 'week' as const, model: '"gpt-4o"', channel: 3, p: 4, size: 50, open: '77', after: 'c' };
    expect(viewOf(search)).toEqual({ range: 'week', model: '"gpt-4o"', channel: 3 });
    expect(storeView(1, { name: ' Failing ', search })).toEqual([
      { name: 'Failing', search: { range: 'week', model: '"gpt-4o"', channel: 3 } },
    ]);
    expect(readViews(1)).toEqual([{ name: 'Failing', search: { range: 'week', model: '"gpt-4o"', channel: 3 } }]);
  });

  test('belong to one account', () => {
    storeView(1, { name: 'Mine', search: {} });
    expect(readViews(2)).toEqual([]);
  });

  test('a view takes every filter away that it has not', () => {
    const change = changeTo({ result: 'failed' });
    expect({ model: 'x', user: 'mei', from: 5, size: 20, ...change }).toMatchObject({
      model: undefined,
      user: undefined,
      from: undefined,
      size: 20,
      result: 'failed',
    });
    expect(isSameView({ result: 'failed' }, { result: 'failed', model: undefined })).toBe(true);
    expect(isSameView({ result: 'failed' }, { result: 'failed', model: 'x' })).toBe(false);
  });

  test('the newest of a name counts, nameless ones are none, and there is an end to them', () => {
    storeView(1, { name: 'A', search: { model: 'x' } });
    storeView(1, { name: 'A', search: { model: 'y' } });
    storeView(1, { name: '  ', search: {} });
    expect(readViews(1)).toEqual([{ name: 'A', search: { model: 'y' } }]);
    expect(dropView(1, 'A')).toEqual([]);
    for (let index = 0; index < mostViews + 5; index += 1) storeView(1, { name: `v${index}`, search: {} });
    expect(readViews(1)).toHaveLength(mostViews);
    expect(readViews(1)[0]?.name).toBe(`v${mostViews + 4}`);
  });

  test('what is no view is left out, and a store that is full changes nothing', () => {
    for (const broken of ['{', '7', '[1,{"name":""},{"name":"ok","search":{"type":"many","model":"x"}}]']) {
      localStorage.setItem('log-views:1', broken);
      expect(readViews(1)).toEqual(broken.startsWith('[') ? [{ name: 'ok', search: { model: 'x' } }] : []);
    }
    vi.spyOn(localStorage, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    expect(storeView(1, { name: 'new', search: {} })).toEqual([{ name: 'ok', search: { model: 'x' } }]);
    vi.restoreAllMocks();
  });
});
