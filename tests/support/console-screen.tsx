// Renders screens of the console, or parts of them, against a real server, for tests in its folders.
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createQueryClient } from '#pwa/app/query-client.ts';
import { loadTexts, startTexts } from '#pwa/i18n/setup.ts';
import { Toasts } from '#pwa/ui/frame/toasts.tsx';

export interface DrawnScreen {
  /** Everything on the page. */
  text: () => string;
  /** The field under a label, which may be the label's beginning. */
  field: (label: string) => HTMLInputElement | HTMLTextAreaElement;
  /** What is said to be wrong with a field; '' when nothing is. */
  problem: (label: string) => string;
  type: (label: string, value: string) => void;
  /** A button by its text or its name. */
  button: (name: string) => HTMLButtonElement;
  press: (name: string) => void;
  leave: () => void;
}

/** English, with the texts of these slices. */
export async function startScreenTexts(...slices: string[]): Promise<void> {
  localStorage.setItem('i18nextLng', 'en');
  // Fields that grow with their text listen to fonts, which the page of the tests has none of.
  Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
  await startTexts();
  await loadTexts(...slices);
}

export { shows } from './shows.ts';

export function drawScreen(element: ReactNode): DrawnScreen {
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  const queryClient = createQueryClient();
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  const root: Root = createRoot(place);
  inAct(() =>
    root.render(
      <MantineProvider env="test">
        <QueryClientProvider client={queryClient}>
          <RouterContextProvider router={router}>
            {element}
            <Toasts />
          </RouterContextProvider>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  return {
    text: pageText,
    field,
    problem: (label) => {
      const described = field(label).getAttribute('aria-describedby') ?? '';
      const texts = described.split(' ').filter((id) => id.endsWith('-error'));
      return texts.map((id) => document.getElementById(id)?.textContent ?? '').join('');
    },
    type: (label, value) => {
      const input = field(label);
      const prototype = input instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
      inAct(() => {
        // React only notices a value that was set past its own setter.
        Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(input, value);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      });
    },
    button,
    press: (name) => {
      const found = button(name);
      inAct(() => found.click());
    },
    leave: () => {
      inAct(() => root.unmount());
      queryClient.clear();
    },
  };
}

function pageText(): string {
  const page = document.body.cloneNode(true);
  if (page instanceof HTMLElement) for (const style of page.querySelectorAll('style')) style.remove();
  return page.textContent ?? '';
}

function field(label: string): HTMLInputElement | HTMLTextAreaElement {
  const named = [...document.querySelectorAll('label')].find((one) => one.textContent?.startsWith(label));
  const found =
    named === undefined
      ? document.querySelector(`input[aria-label="${label}"], textarea[aria-label="${label}"]`)
      : document.getElementById(named.htmlFor);
  if (found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement) return found;
  throw new Error(`no field ${label} in: ${pageText()}`);
}

function button(name: string): HTMLButtonElement {
  const all = [...document.querySelectorAll('button')];
  const found = all.find((one) => one.textContent?.trim() === name || one.getAttribute('aria-label') === name);
  if (found !== undefined) return found;
  throw new Error(`no button ${name} among: ${all.map((one) => one.textContent || one.getAttribute('aria-label')).join(', ')}`);
}

function inAct(change: () => void): void {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  try {
    act(change);
  } finally {
    // What the network answers comes outside of any act.
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  }
}
