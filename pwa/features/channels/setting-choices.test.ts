import { expect, test } from 'vitest';
import { clientGoneOf, isTestedAutomatically, withAutomaticTests, withClientGone } from './setting-choices.ts';

test('what becomes of left answers is read from the settings and written into them, beside what else stands there', () => {
  expect(clientGoneOf('')).toBe('drain');
  expect(clientGoneOf('{"on_client_gone":"abort"}')).toBe('abort');
  expect(clientGoneOf('{"on_client_gone":"else"}')).toBe('drain');
  expect(clientGoneOf('{broken')).toBeNull();
  const set = withClientGone('{"force_format":true}', 'abort');
  expect(JSON.parse(set)).toEqual({ force_format: true, on_client_gone: 'abort' });
  expect(JSON.parse(withClientGone(set, 'drain'))).toEqual({ force_format: true });
  expect(withClientGone('{"on_client_gone":"abort"}', 'drain')).toBe('');
});

test('being left out of automatic tests is read from the settings and written into them', () => {
  expect(isTestedAutomatically('')).toBe(true);
  expect(isTestedAutomatically('{broken')).toBeNull();
  const without = withAutomaticTests('{"force_format":true}', false);
  expect(JSON.parse(without)).toEqual({ force_format: true, skip_automatic_tests: true });
  expect(isTestedAutomatically(without)).toBe(false);
  expect(JSON.parse(withAutomaticTests(without, true))).toEqual({ force_format: true });
});
