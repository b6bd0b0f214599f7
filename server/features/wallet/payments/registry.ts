import type { PaymentProvider } from './provider.ts';
import { epay } from './epay.ts';

export const paymentProviders: readonly PaymentProvider[] = [epay];
