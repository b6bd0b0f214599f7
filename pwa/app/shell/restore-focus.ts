// Restores the focus. Browsers drop it when its element is removed: a deleted row, a closed panel, the screen that a link was on. Users of a keyboard
// or a screen reader would start at the top of the page again.

interface Held {
  element: HTMLElement;
  /** Layer above or next to a screen that takes the focus. */
  layer: Element | null;
  screen: Element | null;
  /** Of a list's row: which, and its place. */
  row: { key: string; place: number } | undefined;
  /** Focusable ancestors, the nearest first: a panel, a conversation. */
  around: readonly HTMLElement[];
}

// A thread with `aria-live=off` stays as it is.
const announced = '[aria-live]:not([aria-live=off])';
const layers = `dialog, [role=dialog], [role=menu], aside, ${announced}`;
const most = 8;

/** Gives a lost focus to what is nearest to where it was. Returns the way to stop. */
export function restoreFocus(): () => void {
  // The last focus of each layer, the newest at the end.
  let held: Held[] = [];
  let disabled: HTMLElement | undefined;

  const note = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    disabled = undefined;
    const layer = target.closest(layers);
    const screen = target.closest('main');
    held = [
      ...held.filter((one) => one.layer !== layer || one.screen !== screen),
      { element: target, layer, screen, row: rowOf(target), around: aroundOf(target, screen) },
    ].slice(-most);
  };
  const release = (): void => {
    // A press on the ground takes the focus away on purpose.
    held = [];
  };
  const repair = (): void => {
    const last = held.at(-1);
    if (last === undefined || hasFocus()) return;
    if (last.element.isConnected) {
      // A button that is busy cannot have the focus; afterwards it is where it was.
      if (last.element.matches(':disabled')) disabled = last.element;
      else if (disabled === last.element) last.element.focus({ preventScroll: true });
      return;
    }
    held = giveBack(held);
  };
  const observer = new MutationObserver(repair);
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', note);
  document.addEventListener('pointerdown', release);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', note);
    document.removeEventListener('pointerdown', release);
  };
}

/** What is left of the memory afterwards. */
function giveBack(held: readonly Held[]): Held[] {
  const at = held.findLastIndex((one) => focusNear(one) !== 'gone');
  const one = held[at];
  if (one === undefined) {
    // Whatever it was before cannot have it any more.
    focus(document.getElementById('main'));
    return [];
  }
  // The browser would continue at the closed layer's position, which may have been elsewhere.
  if (at < held.length - 1 && !hasFocus()) focus(document.getElementById('main'));
  // The screen to come is not there yet: the next change looks again.
  return hasFocus() || one.screen?.isConnected === true ? held.slice(0, at + 1) : [...held];
}

/** `gone`: its layer has closed, so the previous focus is tried. `stays`: nothing is nearer than the browser's own position. */
function focusNear({ element, layer, screen, row, around }: Held): 'focused' | 'stays' | 'gone' {
  if (element.isConnected) return focus(element) ? 'focused' : 'gone';
  if (layer !== null && (!layer.isConnected || layer.matches(announced))) return 'gone';
  if (screen?.isConnected === false) return focus(document.getElementById('main')) ? 'focused' : 'stays';
  if (screen === null || row === undefined) {
    if (focus(around.find(({ isConnected }) => isConnected))) return 'focused';
    return screen === null && layer === null ? 'gone' : 'stays';
  }
  const rows = [...screen.querySelectorAll<HTMLElement>('[data-row-key]')];
  const near = rows.find(({ dataset }) => dataset.rowKey === row.key) ?? rows[Math.min(row.place, rows.length - 1)];
  return focus(near ?? document.getElementById('main')) ? 'focused' : 'stays';
}

function rowOf(element: HTMLElement): Held['row'] {
  const row = element.closest<HTMLElement>('[data-row-key]');
  const key = row?.dataset.rowKey;
  if (row === null || key === undefined) return undefined;
  const rows = [...(row.closest('main')?.querySelectorAll('[data-row-key]') ?? [])];
  return { key, place: rows.indexOf(row) };
}

function aroundOf(element: HTMLElement, screen: Element | null): HTMLElement[] {
  const around: HTMLElement[] = [];
  for (let one = element.parentElement; one !== null && one !== screen; one = one.parentElement)
    if (one.hasAttribute('tabindex')) around.push(one);
  return around;
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus({ preventScroll: true });
  return element !== null && element !== undefined && document.activeElement === element;
}

function hasFocus(): boolean {
  return document.activeElement !== null && document.activeElement !== document.body;
}
