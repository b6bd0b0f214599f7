import { expect, test } from 'vitest';
import { createRegistry, type Family, mostSeries } from './registry.ts';

const pointsOf = (families: Family[], metric: Family['metric']) => families.find((family) => family.metric === metric)?.points ?? [];

test('registry: a series is one object per set of labels', () => {
  const registry = createRegistry();
  const labels = { 'error.type': 'model_not_found' };
  registry.counter('refusals', labels).value += 1;
  registry.counter('refusals', { ...labels }).value += 2;
  expect(pointsOf(registry.collect(), 'refusals')).toEqual([{ labels, value: 3 }]);
});

test('registry: values fall into the bucket whose bound they do not exceed', () => {
  const registry = createRegistry();
  const histogram = registry.histogram('timePerOutputToken', {});
  for (const value of [0, 0.01, 0.011, 2.5, 99]) histogram.record(value);
  const [point] = pointsOf(registry.collect(), 'timePerOutputToken');
  expect(point).toMatchObject({ counts: [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1], sum: 101.521 });
});

test('registry: sets of labels beyond the limit are counted together', () => {
  const registry = createRegistry();
  for (let index = 0; index < mostSeries + 500; index += 1) registry.counter('refusals', { 'error.type': `e${index}` }).value += 1;
  const points = pointsOf(registry.collect(), 'refusals');
  expect(points.length).toBe(mostSeries + 1);
  expect(points.at(-1)).toEqual({ labels: { 'error.type': 'other' }, value: 500 });
});

test('registry: series of what is gone are removed, and values that cannot be read are left out', () => {
  const registry = createRegistry();
  for (const id of ['1', '2']) registry.counter('charged', { 'tidegate.channel.id': id }).value += 1;
  registry.retain('tidegate.channel.id', (id) => id === '2');
  registry.read('streams', () => {
    throw new Error('no streams');
  });
  const families = registry.collect();
  expect(pointsOf(families, 'charged')).toEqual([{ labels: { 'tidegate.channel.id': '2' }, value: 1 }]);
  expect(pointsOf(families, 'streams')).toEqual([]);
});
