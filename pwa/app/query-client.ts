import { MutationCache, QueryClient } from '@tanstack/react-query';
import { failureOf } from '#pwa/api/failure.ts';
import { toastFailure } from '#pwa/ui/frame/toast.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /**
       * Stored in IndexedDB for the signed-in user and shown with its age when there is no connection. `strip` removes what must not be written to
       * the disk (keys).
       */
      offline?: true | { strip: (data: unknown) => unknown };
    };
    mutationMeta: {
      /** The screen shows the failure itself (next to the field, in the row): no toast. */
      quiet?: boolean;
    };
  }
}

const day = 24 * 60 * 60 * 1000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    mutationCache: new MutationCache({
      onError: (error, _input, _result, mutation) => {
        if (mutation.meta?.quiet !== true) toastFailure(failureOf(error));
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        // What was once seen stays at hand without a network.
        gcTime: day,
        retry: (count, error) => count < 1 && failureOf(error).code === 'server_unreachable',
        retryDelay: 600,
        refetchOnWindowFocus: true,
        // Notify of every property, not only of those read so far: a component may pass the query to children that render later and only then read
        // whether it is pending or failed. Without a change of the data they would miss its end.
        notifyOnChangeProps: 'all',
      },
      mutations: {
        retry: false,
        // Without a network a change fails at once and says so; only the outbox waits.
        networkMode: 'always',
      },
    },
  });
}
