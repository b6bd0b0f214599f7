import { createFileRoute, redirect } from '@tanstack/react-router';
import { storedUser } from '#pwa/api/stored-user.ts';

/** Without a number: one's own account. */
export const Route = createFileRoute('/_shell/user/edit/')({
  beforeLoad: () => {
    throw redirect({ to: '/user/edit/$id', params: { id: String(storedUser()?.id ?? 0) } });
  },
});
