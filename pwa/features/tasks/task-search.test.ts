import { afterEach, describe, expect, test } from 'vitest';
import { kindOfTasks, rememberKind, TaskSearch } from './task-address.ts';
import { boundsOf, countFilters, taskList } from './task-search.ts';

const now = new Date(2026, 10, 22, 14, 30, 5).getTime();
const midnight = new Date(2026, 10, 22).getTime() / 1000;
const address = (values: object) => TaskSearch.parse(values);

describe('what is asked for', () => {
  test('without a word: drawings of 30 days, music of today', () => {
    expect(boundsOf(taskList('drawing', false, address({})), now)).toEqual({ start: now / 1000 - 30 * 86_400 });
    expect(boundsOf(taskList('music', false, address({})), now)).toEqual({ start: midnight });
  });

  test('a week begins at midnight, six days ago', () => {
    expect(boundsOf(taskList('music', false, address({ range: 'week' })), now)).toEqual({ start: new Date(2026, 10, 16).getTime() / 1000 });
  });

  test('a range of one’s own may be open at both ends, and an id is looked for at any time', () => {
    expect(boundsOf(taskList('music', false, address({ range: 'custom' })), now)).toEqual({});
    expect(boundsOf(taskList('music', false, address({ range: 'custom', from: '5', to: '9' })), now)).toEqual({ start: 5, end: 9 });
    expect(boundsOf(taskList('drawing', false, address({ id: 17 })), now)).toEqual({});
  });

  test('only administrators filter by channel', () => {
    const search = address({ channel: '3', status: 'FAILURE' });
    expect(countFilters(taskList('drawing', true, search).filters)).toBe(2);
    expect(taskList('drawing', false, search).filters).toEqual({ status: 'FAILURE', action: undefined, id: undefined });
  });

  test('nonsense in the address counts as absent', () => {
    expect(address({ range: 'ever', view: 'wall', channel: '-1', p: 'x', from: 'y' })).toEqual({});
  });
});

describe('which log is shown', () => {
  afterEach(() => localStorage.clear());

  test('the one that the address names, else the one that was looked at last', () => {
    expect(kindOfTasks(address({}))).toBe('music');
    rememberKind('video');
    expect(kindOfTasks(address({}))).toBe('video');
    expect(kindOfTasks(address({ kind: 'music' }))).toBe('music');
    // A link to one task that says nothing is of music.
    expect(kindOfTasks(address({ id: 'task_1' }))).toBe('music');
    rememberKind('music');
    expect(kindOfTasks(address({ kind: 'unheard' }))).toBe('music');
  });
});
