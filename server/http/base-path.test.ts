import { expect, test } from 'vitest';
import { readEnv } from '#server/env.ts';
import { belowBase, manifestAtBase, pageAtBase } from './base-path.ts';

test.each([
  ['/ai/v1/models?x=1', '/v1/models?x=1'],
  ['/ai/', '/'],
  ['/ai', undefined],
  ['/ai?x=1', undefined],
  // A proxy has stripped it already, or it is another path.
  ['/v1/models', '/v1/models'],
  ['/aim/x', '/aim/x'],
  ['/', '/'],
])('%s is %s below /ai', (target, rest) => {
  expect(belowBase('/ai', target)).toBe(rest);
});

test('the page has its links below the path and states it; scripts stay as they are, since a hash permits them', () => {
  const script = `<script>var path = '/assets/' + file; link.href = "/x"</script>`;
  const page = `<!doctype html>\n<html lang="zh-CN">\n<head>${script}<link rel="icon" href="/favicon.svg"><script type="module" crossorigin src="/assets/a.js"></script></head></html>`;
  expect(pageAtBase(page, '/ai')).toBe(
    `<!doctype html>\n<html data-base="/ai" lang="zh-CN">\n<head>${script}<link rel="icon" href="/ai/favicon.svg"><script type="module" crossorigin src="/ai/assets/a.js"></script></head></html>`,
  );
});

test('the manifest has its addresses below the path, and nothing else', () => {
  const built = {
    id: '/',
    name: '/Tides',
    scope: '/',
    icons: [{ src: '/icon.png' }, { src: 'https://elsewhere.example/icon.png' }],
    share_target: { action: '/share', params: { url: 'url' } },
  };
  expect(JSON.parse(manifestAtBase(JSON.stringify(built), '/ai'))).toEqual({
    id: '/ai/',
    name: '/Tides',
    scope: '/ai/',
    icons: [{ src: '/ai/icon.png' }, { src: 'https://elsewhere.example/icon.png' }],
    share_target: { action: '/ai/share', params: { url: 'url' } },
  });
});

test.each(['ai', '/a b', '/a"b', '//host', '/../x', '/v1', '/api/x', '/mj'])('BASE_PATH=%s is refused', (BASE_PATH) => {
  expect(() => readEnv({ BASE_PATH })).toThrow(/BASE_PATH must/);
});

test.each([
  ['/ai/', '/ai'],
  ['/', ''],
  ['/team-1/ai', '/team-1/ai'],
])('BASE_PATH=%s is %s', (BASE_PATH, path) => {
  expect(readEnv({ BASE_PATH }).BASE_PATH).toBe(path);
});
