import { describe, expect, test } from 'vitest';
import { safeLink, safePicture } from './links.ts';

describe('links', () => {
  test.each([
    'javascript:alert(1)',
    'javascript://example.com/%0aalert(1)',
    'JaVaScRiPt://x',
    'java\tscript:alert(1)',
    'java\nscript://x/%0aalert(1)',
    'j\ra\nv\ta\tscript://x',
    '\u0001javascript://x',
    ' \u0000 javascript:alert(1)',
    'vbscript://x',
    'data://text/html,<script>',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    'view-source:https://example.com',
    'filesystem:https://example.com',
    'intent://scan/#Intent;end',
    'https:/\\evil.example',
    'https://',
    'http:///path',
    '//evil.example',
    '/path',
    'page',
    '',
    'https://[::1',
  ])('%j is followed nowhere', (text) => {
    expect(safeLink(text, 'web')).toBeUndefined();
    expect(safeLink(text, 'client')).toBeUndefined();
  });

  test('pages are followed, programs only where they are meant', () => {
    expect(safeLink(' https://example.com/a?b={"c":1}#d ', 'web')).toBe('https://example.com/a?b={"c":1}#d');
    expect(safeLink('HTTP://example.com', 'web')).toBe('HTTP://example.com');
    expect(safeLink('https://exam\tple.com', 'web')).toBe('https://example.com');
    expect(safeLink('opencat://team/join?domain=x', 'client')).toBe('opencat://team/join?domain=x');
    expect(safeLink('opencat://team/join?domain=x', 'web')).toBeUndefined();
  });

  test('pictures may be paths of the site and data URLs of pictures', () => {
    for (const text of ['/logo.svg', 'data:image/svg+xml;base64,PHN2Zy8+', 'https://cdn.example/logo.png'])
      expect(safePicture(text)).toBe(text);
    for (const text of ['//evil.example/x', '/\\evil.example', '/\t/evil.example', 'data:text/html,x', 'java\tscript:x', 'logo.png'])
      expect(safePicture(text)).toBeUndefined();
  });
});
