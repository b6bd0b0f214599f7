import type { z } from 'zod/mini';
import { ListSearch } from '#pwa/ui/list/list-search.ts';

export const KeysSearch = ListSearch;
export type KeysSearch = z.infer<typeof KeysSearch>;
