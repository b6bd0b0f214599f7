import type { Language } from '#shared/errors.ts';

/**
 * Best supported language of `Accept-Language`, by weight. `unsaid`: default without a supported one; the console's
 * clients expect zh.
 */
export function languageOf(header: string | null, unsaid: Language = 'zh'): Language {
  if (header === null || header === '') return unsaid;
  let best = unsaid;
  let bestWeight = 0;
  for (const part of header.slice(0, 200).split(',')) {
    const [tag = '', ...parameters] = part.split(';');
    const primary = tag.trim().toLowerCase().split('-')[0];
    if (primary !== 'zh' && primary !== 'en') continue;
    const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined);
    const weight = quality === undefined ? 1 : Number(quality);
    if (weight > bestWeight) {
      best = primary;
      bestWeight = weight;
    }
  }
  return best;
}

/** Language of API callers: SDKs and agents send no language, so the default is English. */
export function callerLanguage(headers: Headers): Language {
  return languageOf(headers.get('accept-language'), 'en');
}
