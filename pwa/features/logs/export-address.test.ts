import { expect, test } from 'vitest';
import { ownTimeZone } from '#pwa/api/time-zone.ts';
import { exportAddress } from './export-address.ts';

const now = new Date(2026, 10, 21, 14).getTime();
const zone = new URLSearchParams(ownTimeZone()).toString();
const seconds = Math.floor(now / 1000);

test('export-address: what is listed, and no more', () => {
  const own = exportAddress({ isAdmin: false, filters: { model: '"a&b"', result: 'failed' }, range: { range: 'hour' } }, 'csv', now);
  const url = new URL(own, 'http://site');
  expect(url.pathname).toBe('/api/log/self/export');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    model_name: 'a&b',
    result: 'failed',
    start_timestamp: String(seconds - 3600),
    format: 'csv',
    ...ownTimeZone(),
  });
  const all = exportAddress({ isAdmin: true, filters: { user: 'mira' }, range: { range: 'custom', from: 5, to: 9 } }, 'jsonl', now);
  expect(all).toBe(`/api/log/export?username=mira&start_timestamp=5&end_timestamp=9&format=jsonl&${zone}`);
});

test('export-address: one request is looked for at any time', () => {
  const found = exportAddress({ isAdmin: true, filters: { request: 'r1' }, range: { range: 'hour' } }, 'csv', now);
  expect(found).toBe(`/api/log/export?request_id=r1&format=csv&${zone}`);
});
