// Where a phone's and a tablet's frame has room for what is said of the console as a whole, above the screen: there it covers
// nothing. Without a frame, and at a desk, there is none.
import { createStore } from '#pwa/ui/store.ts';

export const newsPlace = createStore<HTMLElement | null>(null);

/** For the element that is the place, as its `ref`. */
export function placeNews(element: HTMLElement | null): void {
  newsPlace.set(element);
}
