// The limits of a key as one screen has them filled in, whose fields belong to another feature: their route passes them.
import type { ComponentType, ReactNode } from 'react';
import type { TokenCreate } from '#shared/tokens.ts';
import type { CallFailure } from '#pwa/api/failure.ts';

export interface KeyLimits {
  /** Name, quota and expiry as they are set, for a sentence. Quota undefined: unlimited. */
  chosen: { quota: number | undefined; expiry: number; models: number | undefined };
  fields: ReactNode;
  /** True while a field has an error. */
  hasError: boolean;
  /** Returns the limits; undefined if a field is wrong, which is then shown. */
  read(): Omit<TokenCreate, 'count'> | undefined;
  /** Shows a refusal at its field. False: it has none. */
  showFailure(failure: CallFailure): boolean;
}

export interface KeyLimitsProps {
  /** Proposed name. */
  name: string;
  /** US dollars; Unix seconds. */
  usd: number;
  expiry: number;
  children: (limits: KeyLimits) => ReactNode;
}

export type KeyLimitsPart = ComponentType<KeyLimitsProps>;
