// During a sign-out nothing of the account is rendered, in any tab: opening the sign-in may take a moment.
import { createStore, useStore } from '#pwa/ui/store.ts';

const leaving = createStore(false);

export const setLeaving = leaving.set;

export function useIsLeaving(): boolean {
  return useStore(leaving);
}
