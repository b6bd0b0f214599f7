// While somebody is being signed out nothing of the account is drawn, in any tab: the way to the sign-in may take a moment.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let isLeaving = false;

export function setLeaving(value: boolean): void {
  isLeaving = value;
  for (const listener of listeners) listener();
}

export function useIsLeaving(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isLeaving,
  );
}
