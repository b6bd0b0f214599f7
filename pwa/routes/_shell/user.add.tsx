import { createFileRoute } from '@tanstack/react-router';

/** The list with the form for a new user. */
export const Route = createFileRoute('/_shell/user/add')({});
