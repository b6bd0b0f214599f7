// Text of the palette. Kept outside React's tree: it is typed before the palette's code is there, and goes over to it whole.
import { createStore } from '#pwa/ui/store.ts';

export const typed = createStore('');
/** Enter was pressed before there was anything to take. */
export const isEnterDue = createStore(false);

export const typedLimit = 200;
