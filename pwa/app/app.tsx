import { RouterProvider } from '@tanstack/react-router';
import { Providers } from './providers.tsx';
import type { StartedConsole } from './start.ts';

export function App({ queryClient, router }: StartedConsole) {
  return (
    <Providers queryClient={queryClient}>
      <RouterProvider router={router} />
    </Providers>
  );
}
