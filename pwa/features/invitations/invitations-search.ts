import type { z } from 'zod/mini';
import { ListSearch } from '#pwa/ui/list/list-search.ts';

export const InvitationsSearch = ListSearch;
export type InvitationsSearch = z.infer<typeof InvitationsSearch>;
