import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restoreFocus } from './restore-focus.ts';
import { shows } from '#tests/support/shows.ts';

let stop: () => void;

beforeEach(() => {
  document.body.innerHTML = `
    <nav><a href="#x" id="menu">Menu</a></nav>
    <main id="main" tabindex="-1">
      <button id="opener">Open</button>
      <div tabindex="-1" data-row-key="a"><button id="delete-a">Delete</button></div>
      <div tabindex="-1" data-row-key="b"><button id="delete-b">Delete</button></div>
      <div tabindex="-1" data-row-key="c"><button id="delete-c">Delete</button></div>
    </main>`;
  stop = restoreFocus();
});
afterEach(() => {
  stop();
  document.body.innerHTML = '';
});

const get = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`There is no ${id}`);
  return element;
};
const row = (key: string): HTMLElement | null => document.querySelector(`[data-row-key=${key}]`);
/** Takes it away as a browser does: whatever has the focus in it loses it. */
const remove = (element: Element | null): void => {
  if (element?.contains(document.activeElement) === true && document.activeElement instanceof HTMLElement) document.activeElement.blur();
  element?.remove();
};
const expectFocus = (expected: () => Element | null): Promise<void> =>
  shows(() => {
    expect(expected()).not.toBeNull();
    expect(document.activeElement).toBe(expected());
  });
const open = (html: string): void => document.body.insertAdjacentHTML('beforeend', html);

/** Resolves after every observer was notified of a change. */
const changeSeen = (): Promise<void> =>
  new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    open('<p>Later</p>');
  });

describe('restore-focus', () => {
  it('goes to the row that takes the place of a deleted one, to the last one after the last, and to the screen of an empty list', async () => {
    get('delete-b').focus();
    remove(row('b'));
    await expectFocus(() => row('c'));
    remove(row('c'));
    await expectFocus(() => row('a'));
    remove(row('a'));
    await expectFocus(() => get('main'));
  });

  it('stays with a row whose button is replaced', async () => {
    get('delete-b').focus();
    remove(get('delete-b'));
    await expectFocus(() => row('b'));
  });

  it('goes back to what had the focus before a panel or a message closed', async () => {
    get('opener').focus();
    open('<aside><button id="in-panel">Save</button></aside>');
    get('in-panel').focus();
    open('<div aria-live="polite"><p id="message"><button id="undo">Undo</button></p></div>');
    get('undo').focus();
    remove(get('message'));
    await expectFocus(() => get('in-panel'));
    remove(document.querySelector('aside'));
    await expectFocus(() => get('opener'));
  });

  it('goes to what lies around it and can have the focus: a conversation, a panel', async () => {
    get('main').insertAdjacentHTML('beforeend', '<div id="thread" tabindex="0"><p><button id="again">Again</button></p></div>');
    get('again').focus();
    remove(get('again'));
    await expectFocus(() => get('thread'));
    open('<aside id="panel" tabindex="-1"><ul><li id="entry"><button id="drop">Delete</button></li></ul></aside>');
    get('drop').focus();
    remove(get('entry'));
    await expectFocus(() => get('panel'));
  });

  it('goes to the screen when a dialog closes and what opened it cannot have the focus any more', async () => {
    get('opener').focus();
    open('<dialog open><button id="confirm">Move all</button></dialog>');
    get('confirm').focus();
    get('opener').setAttribute('disabled', '');
    remove(document.querySelector('dialog'));
    await expectFocus(() => get('main'));
  });

  it('stays in a conversation, which announces nothing itself, when a button in it goes', async () => {
    get('menu').focus();
    get('main').insertAdjacentHTML('beforeend', '<div aria-live="off"><p id="answer"><button id="again">Again</button></p></div>');
    get('again').focus();
    remove(get('again'));
    await changeSeen();
    expect(document.activeElement).toBe(document.body);
  });

  it('goes to the neighbour of the row that opened a dialog, when the row has gone with it', async () => {
    get('delete-a').focus();
    open('<dialog open><button id="confirm">Delete</button></dialog>');
    get('confirm').focus();
    remove(row('a'));
    expect(document.activeElement).toBe(get('confirm'));
    remove(document.querySelector('dialog'));
    await expectFocus(() => row('b'));
  });

  it('goes to the next screen once it is there, however late, and not to the menu that was used before', async () => {
    get('menu').focus();
    get('opener').focus();
    remove(get('main'));
    await changeSeen();
    expect(document.activeElement).toBe(document.body);
    document.body.insertAdjacentHTML('beforeend', '<main id="main" tabindex="-1"><h1>Next</h1></main>');
    await expectFocus(() => get('main'));
  });

  it('returns to a button that was busy, and not when somebody has gone on meanwhile', async () => {
    const opener = get('opener');
    opener.focus();
    opener.blur();
    opener.setAttribute('disabled', '');
    await changeSeen();
    expect(document.activeElement).toBe(document.body);
    opener.removeAttribute('disabled');
    await expectFocus(() => opener);

    opener.setAttribute('disabled', '');
    get('menu').focus();
    opener.removeAttribute('disabled');
    await changeSeen();
    expect(document.activeElement).toBe(get('menu'));
  });

  it('leaves a focus alone that was given up by a press on the page', async () => {
    get('delete-b').focus();
    get('main').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    remove(row('b'));
    await changeSeen();
    expect(document.activeElement).toBe(document.body);
  });
});
