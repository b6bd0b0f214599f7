import { expect, it } from 'vitest';
import { testedModel } from './use-draft-test.ts';

it('tested-model: what somebody chose is tested before what the form proposed', () => {
  const proposed = ['gpt-4o', 'gpt-4o-mini'];
  expect(testedModel({ test_model: '', models: [...proposed, 'own-model'] }, proposed)).toBe('own-model');
  expect(testedModel({ test_model: 'named', models: [...proposed, 'own-model'] }, proposed)).toBe('named');
  expect(testedModel({ test_model: '', models: ['gpt-4o-mini'] }, proposed)).toBe('gpt-4o-mini');
  expect(testedModel({ test_model: '', models: ['text-embedding-3-small', 'gpt-4o'] }, proposed)).toBe('gpt-4o');
  expect(testedModel({ test_model: '', models: [] }, proposed)).toBe('');
});
