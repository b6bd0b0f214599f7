// State that lives outside React's tree: of the page, of the device, of another tab.
import { useSyncExternalStore } from 'react';

export interface Listeners {
  /** Calls `listener` on every change; gives the way to stop. */
  subscribe: (listener: () => void) => () => void;
  emit: () => void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit: () => {
      for (const listener of listeners) listener();
    },
  };
}

export interface Store<Value> {
  get: () => Value;
  /** The same value again is no change. */
  set: (value: Value) => void;
  subscribe: Listeners['subscribe'];
}

export function createStore<Value>(initial: Value): Store<Value> {
  const { subscribe, emit } = createListeners();
  let current = initial;
  return {
    get: () => current,
    set: (value) => {
      if (Object.is(value, current)) return;
      current = value;
      emit();
    },
    subscribe,
  };
}

export function useStore<Value>({ subscribe, get }: Pick<Store<Value>, 'subscribe' | 'get'>): Value {
  return useSyncExternalStore(subscribe, get);
}
