import { createFileRoute } from '@tanstack/react-router';

/** The list with the editor of a new channel. */
export const Route = createFileRoute('/_shell/channel/add')({});
