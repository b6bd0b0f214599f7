import type { QueryClient } from '@tanstack/react-query';
import { selfQuery } from '#pwa/api/self.ts';

/** After money has moved: the balance, what is pending, and the history. */
export async function refreshMoney(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: selfQuery.queryKey }),
    client.invalidateQueries({ queryKey: ['wallet', 'info'] }),
    client.invalidateQueries({ queryKey: ['wallet-history'] }),
  ]);
}
