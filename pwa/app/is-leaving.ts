// While somebody is being signed out nothing of the account is drawn, in any tab: the way to the sign-in may take a moment.
import { createStore, useStore } from '#pwa/ui/store.ts';

const leaving = createStore(false);

export const setLeaving = leaving.set;

export function useIsLeaving(): boolean {
  return useStore(leaving);
}
