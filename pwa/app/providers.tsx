import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Toasts } from '#pwa/ui/frame/toasts.tsx';
import { useColorSchemeOnPage } from './color-scheme-on-page.ts';

/** What every page needs, the sign-in among them; what only screens need is in `ScreenProviders`. */
export function Providers({ queryClient, children }: { queryClient: QueryClient; children: ReactNode }) {
  useColorSchemeOnPage();
  return (
    <QueryClientProvider client={queryClient}>
      {children}
      <Toasts />
    </QueryClientProvider>
  );
}
