import { useQuery } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet, redirect, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { failureOf } from '#pwa/api/failure.ts';
import { statusQuery } from '#pwa/api/site-status.ts';
import { UpdatePrompt } from '#pwa/offline/update-prompt.tsx';
import { toastFailure } from '#pwa/ui/toast.ts';

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  beforeLoad: async ({ context, location }) => {
    const known = context.queryClient.getQueryData(statusQuery.queryKey);
    // Asked anew only while it is unknown or says that the installation is not set up: the rest follows in the background.
    const status =
      known?.setup === true
        ? known
        : await context.queryClient.fetchQuery({ ...statusQuery, retry: false, staleTime: 0 }).catch(() => known);
    if (status?.setup === false && location.pathname !== '/setup') throw redirect({ href: '/setup' });
  },
  component: Root,
});

function Root() {
  const { t } = useTranslation();
  const router = useRouter();
  const { error, data } = useQuery(statusQuery);
  useEffect(() => {
    // With a stored status everything still works, and the freshness chip tells.
    if (error === null || data !== undefined) return;
    const failure = failureOf(error);
    toastFailure({ code: failure.code, message: t(failure.isUnreachable ? 'shell.status.unreachable' : 'shell.status.failed') });
  }, [error, data, t]);
  useEffect(() => {
    if (data?.setup === false) void router.invalidate();
  }, [data?.setup, router]);
  return (
    <>
      <Outlet />
      <UpdatePrompt />
    </>
  );
}
