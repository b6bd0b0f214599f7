import { z } from 'zod/mini';
import { SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

/** What the wallet keeps in its address. `out_trade_no`: with that the payment provider sends people back. */
export const WalletSearch = z.object({ p: SearchInt, kind: SearchText, order: SearchText, out_trade_no: SearchText });
export type WalletSearch = z.infer<typeof WalletSearch>;
