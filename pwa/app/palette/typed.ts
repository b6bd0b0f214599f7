// Text of the palette. Stored outside React's tree: typing may begin before the palette's code is loaded, which then takes the text over.
import { createStore } from '#pwa/ui/store.ts';

export const typed = createStore('');
/** Enter was pressed before there was anything to take. */
export const isEnterDue = createStore(false);

export const typedLimit = 200;
