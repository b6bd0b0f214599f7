import { createContext, useContext } from 'react';
import { createFormat, type Format } from './format.ts';

/** Bound to language and site settings by the app. */
export const FormatContext = createContext<Format | undefined>(undefined);

export function useFormat(): Format {
  return useContext(FormatContext) ?? earlyFormat();
}

let early: Format | undefined;

/** Of what is drawn before language and settings are known. */
function earlyFormat(): Format {
  return (early ??= createFormat({ language: 'zh', quotaPerUnit: 500_000, inCurrency: true }));
}
