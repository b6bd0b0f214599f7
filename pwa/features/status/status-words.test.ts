import { t } from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import type { StatusModel } from '#shared/status-page.ts';
import { startScreenTexts } from '#tests/support/console-screen.tsx';
import { countSentence } from './status-words.ts';

beforeAll(() => startScreenTexts('status'));

function models(...states: StatusModel['state'][]): StatusModel[] {
  return states.map((state, index) => ({ model: `model-${index}`, kind: 'chat', state, days: '', marks: [], hours: [] }) as const);
}

it('models without data do not count as models that are not operational', () => {
  expect(countSentence(t, { models: models('operational', 'unknown', 'unknown') })).toBe(
    '1 of 1 model is operational. 2 models have no data yet.',
  );
  expect(countSentence(t, { models: models('operational', 'slow') })).toBe('1 of 2 models are operational.');
  expect(countSentence(t, { models: models('unknown') })).toBe('1 model has no data yet.');
  expect(countSentence(t, { models: [] })).toBe('');
});
