import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Providers } from './providers.tsx';
import type { StartedConsole } from './start.ts';

export function App({ queryClient, router, onDrawn }: StartedConsole) {
  useEffect(onDrawn, [onDrawn]);
  return (
    <Providers queryClient={queryClient}>
      <RouterProvider router={router} />
    </Providers>
  );
}
