import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AfterFrame, Later } from './later.tsx';
import { lazyPart } from './lazy-part.tsx';

beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
});
afterAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
});

test('what is drawn a moment later is marked as busy until then', () => {
  // The first pass alone, before anything deferred.
  expect(renderToStaticMarkup(<Later>fields</Later>)).toBe('<span hidden="" aria-busy="true"></span>');
  const page = document.createElement('div');
  const root = createRoot(page);
  act(() => root.render(<Later>fields</Later>));
  expect(page.innerHTML).toBe('fields');
  act(() => root.unmount());
});

test('the content of the first screen is marked as busy while only its frame is drawn', () => {
  document.body.innerHTML = '<div id="root"><div aria-busy="true"></div></div>';
  expect(renderToStaticMarkup(<AfterFrame>rows</AfterFrame>)).toContain('aria-busy="true"');
  // A list's rows stand there meanwhile, as before.
  expect(renderToStaticMarkup(<AfterFrame shape={<i aria-busy="true">still rows</i>}>rows</AfterFrame>)).toBe(
    '<i aria-busy="true">still rows</i>',
  );
  document.body.innerHTML = '';
  // A later screen comes at once.
  expect(renderToStaticMarkup(<AfterFrame>rows</AfterFrame>)).toBe('rows');
});

test('a part that is still loading is marked as busy', async () => {
  const { promise, resolve } = Promise.withResolvers<{ Part: () => string }>();
  const Part = lazyPart(
    () => promise,
    (loaded) => loaded.Part,
  );
  const page = document.createElement('div');
  const root = createRoot(page);
  await act(async () => root.render(<Part />));
  expect(page.querySelectorAll('[aria-busy="true"]')).toHaveLength(1);
  await act(async () => resolve({ Part: () => 'editor' }));
  expect(page.textContent).toBe('editor');
  expect(page.querySelector('[aria-busy="true"]')).toBeNull();
  act(() => root.unmount());
});
