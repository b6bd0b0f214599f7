import type { z } from 'zod/mini';
import { ListSearch } from '#pwa/ui/list/list-search.ts';

export const BackupsSearch = ListSearch;
export type BackupsSearch = z.infer<typeof BackupsSearch>;
