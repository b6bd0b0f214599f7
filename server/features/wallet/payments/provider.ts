// What a payment provider is to the wallet. Another one is another file of this kind and its line in `registry.ts`.
import type { PaymentForm } from '#shared/wallet.ts';
import type { AppContext } from '#server/context.ts';
import type { OrderRecord } from '#server/db/records/order.ts';

export interface PaymentMethod {
  /** As orders name it. */
  id: string;
  /** As old clients call it. */
  aliases: readonly string[];
}

/** What the provider sends when something has been paid. Nothing of it is to be trusted before it is proved. */
export interface PaymentNotice {
  method: string;
  query: URLSearchParams;
  /** Empty when there is none. */
  body: string;
  headers: Headers;
}

export type NoticeReading =
  /** It does not come from the provider. */
  | { kind: 'forged' }
  /** It does, and is about something else than a payment. */
  | { kind: 'other' }
  | { kind: 'paid'; tradeNo: string; cents: number; providerTradeNo: string };

export interface PaymentProvider {
  /** Stored with orders: never change it. */
  id: string;
  methods: readonly PaymentMethod[];
  isConfigured(context: AppContext): boolean;
  /** @throws when no payment can be started with the settings as they are */
  start(context: AppContext, order: OrderRecord): PaymentForm;
  notice: {
    path: string;
    read(context: AppContext, notice: PaymentNotice): NoticeReading;
    /** Responses that the provider expects: to stop repeating the notice, or to repeat it. */
    answers: { accepted: string; refused: string };
  };
}
