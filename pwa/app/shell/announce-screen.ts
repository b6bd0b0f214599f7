/** Says the name of a screen when another one opens: the browser does that for pages only. Returns the way to stop. */
export function announceScreens(): () => void {
  const place = document.createElement('p');
  place.className = 'visually-hidden';
  place.setAttribute('role', 'status');
  document.body.append(place);
  let last = document.title;
  const observer = new MutationObserver(() => {
    if (document.title === last) return;
    last = document.title;
    place.textContent = last;
  });
  observer.observe(document.head, { childList: true, subtree: true, characterData: true });
  return () => {
    observer.disconnect();
    place.remove();
  };
}
