import { createFileRoute, redirect } from '@tanstack/react-router';

/** The list with the editor of a user. */
export const Route = createFileRoute('/_shell/user/edit/$id')({
  beforeLoad: ({ params }) => {
    if (!/^\d{1,15}$/.test(params.id)) throw redirect({ to: '/user' });
  },
});
