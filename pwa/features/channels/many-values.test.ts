import { describe, expect, test } from 'vitest';
import { bulkBody, emptyMany, manyProblems, tagBody } from './many-values.ts';

describe('many-values', () => {
  test('what is empty is not sent, and nothing at all is no edit', () => {
    expect(bulkBody([1, 2], emptyMany)).toBeNull();
    expect(bulkBody([1, 2], { ...emptyMany, tag: ' azure ', priority: 0 })).toEqual({ ids: [1, 2], tag: 'azure', priority: 0 });
    expect(bulkBody([1], { ...emptyMany, models_added: ['a', 'b'], models_removed: ['c'], groups: ['vip'], weight: 3 })).toEqual({
      ids: [1],
      models_added: 'a,b',
      models_removed: 'c',
      groups: ['vip'],
      weight: 3,
    });
    expect(bulkBody([1], { ...emptyMany, tag: 'typed before', removesTag: true })).toEqual({ ids: [1], tag: '' });
    // Fields of a tag's own edit.
    expect(bulkBody([1], { ...emptyMany, models: ['a'], model_mapping: '{}' })).toBeNull();
  });

  test('a tag is renamed or dissolved; its own name is no change', () => {
    expect(tagBody('azure', { ...emptyMany, tag: 'azure' })).toBeNull();
    expect(tagBody('azure', { ...emptyMany, tag: 'eu' })).toEqual({ tag: 'azure', new_tag: 'eu' });
    expect(tagBody('azure', { ...emptyMany, tag: 'azure', removesTag: true })).toEqual({ tag: 'azure', new_tag: '' });
    expect(tagBody('azure', { ...emptyMany, models: ['a', 'b'], model_mapping: ' {} ', priority: -5 })).toEqual({
      tag: 'azure',
      models: 'a,b',
      model_mapping: '{}',
      priority: -5,
    });
  });

  test('what the server would refuse is told at its field', () => {
    expect(manyProblems(emptyMany)).toEqual({});
    expect(manyProblems({ ...emptyMany, tag: 'a\u0007', priority: -1000, weight: 1.5, model_mapping: '{' })).toEqual({
      tag: 'text',
      priority: 'priority',
      weight: 'weight',
      model_mapping: 'mapping_json',
    });
  });
});
