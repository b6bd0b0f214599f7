import { type QueryClient, useQuery } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet, redirect, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { failureOf } from '#pwa/api/failure.ts';
import { statusQuery, storedStatus } from '#pwa/api/site-status.ts';
import { useIsLeaving } from '#pwa/app/is-leaving.ts';
import { applyUpdate, useUpdateWaiting } from '#pwa/offline/register-worker.ts';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';
import { toastFailure } from '#pwa/ui/frame/toast.ts';
import { atBase } from '#pwa/ui/base-path.ts';

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  beforeLoad: async ({ context, location }) => {
    // A cold start has only the stored status, and needs no more: without a network no request is sent in vain.
    const known = context.queryClient.getQueryData(statusQuery.queryKey) ?? storedStatus();
    // Refetched only while it is unknown or reports that the installation is not set up: other changes arrive in the background.
    const status =
      known?.setup === true
        ? known
        : await context.queryClient.fetchQuery({ ...statusQuery, retry: false, staleTime: 0, networkMode: 'always' }).catch(() => known);
    if (status?.setup === false && location.pathname !== '/setup') throw redirect({ href: atBase('/setup'), reloadDocument: true });
  },
  component: Root,
});

const UpdatePrompt = lazyPart(
  () => import('#pwa/offline/update-prompt.tsx'),
  (part) => part.UpdatePrompt,
);

function Root() {
  const { t } = useTranslation();
  const router = useRouter();
  const isLeaving = useIsLeaving();
  const isUpdateWaiting = useUpdateWaiting();
  const { error, data } = useQuery(statusQuery);
  useEffect(() => {
    // With a stored status everything still works, and the freshness chip shows it.
    if (error === null || data !== undefined) return;
    const failure = failureOf(error);
    toastFailure({ code: failure.code, message: t(failure.isUnreachable ? 'frame.status.unreachable' : 'frame.status.failed') });
  }, [error, data, t]);
  useEffect(() => {
    if (data?.setup === false) void router.invalidate();
  }, [data?.setup, router]);
  return (
    <>
      {!isLeaving && <Outlet />}
      {isUpdateWaiting && <UpdatePrompt onUpdate={applyUpdate} />}
    </>
  );
}
