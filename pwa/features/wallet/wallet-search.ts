import { z } from 'zod/mini';
import { SearchInt, SearchText } from '#pwa/ui/list/list-search.ts';

/** Search parameters of the wallet. `out_trade_no`: the payment provider returns users with it. */
export const WalletSearch = z.object({ p: SearchInt, kind: SearchText, order: SearchText, out_trade_no: SearchText });
export type WalletSearch = z.infer<typeof WalletSearch>;
