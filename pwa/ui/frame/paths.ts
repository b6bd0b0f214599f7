import { useRouter } from '@tanstack/react-router';

/** Addresses of the console that other screens lead to. */
export const places = {
  home: '/',
  login: '/login',
  register: '/register',
  setup: '/setup',
  firstCall: '/first-call',
  tokens: '/token',
  logs: '/log',
  pricing: '/pricing',
  channels: '/channel',
  users: '/user',
  settings: '/setting',
  outbox: '/outbox',
  personal: '/personal',
} as const satisfies Record<string, string>;

export type PlaceName = keyof typeof places;

/** The address of a screen, or undefined where this console does not have it: nothing leads to what is not there. */
export function usePlace(name: PlaceName): string | undefined {
  const router = useRouter();
  const path: string = places[name];
  return path in router.routesByPath ? path : undefined;
}
