import type { z } from 'zod/mini';
import { ListSearch } from '#pwa/ui/list/list-search.ts';

export const AppsSearch = ListSearch;
export type AppsSearch = z.infer<typeof AppsSearch>;
