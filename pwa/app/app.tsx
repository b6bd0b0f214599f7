import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Providers } from './providers.tsx';
import type { StartedConsole } from './start.ts';

export function App({ queryClient, router, onDrawn }: StartedConsole) {
  useEffect(() => {
    // Not in the task that has put the first screen there.
    const timer = setTimeout(onDrawn);
    return () => clearTimeout(timer);
  }, [onDrawn]);
  return (
    <Providers queryClient={queryClient}>
      <RouterProvider router={router} />
    </Providers>
  );
}
