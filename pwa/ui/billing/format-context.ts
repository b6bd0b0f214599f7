import { createContext, useContext } from 'react';
import { createFormat, type Format } from './format.ts';

/** Bound to language and site settings by the app; the default serves what is drawn before those are known. */
export const FormatContext = createContext<Format>(createFormat({ language: 'zh', quotaPerUnit: 500_000, inCurrency: true }));

export function useFormat(): Format {
  return useContext(FormatContext);
}
