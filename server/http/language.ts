import type { Language } from '#shared/errors.ts';

/** The first of `Accept-Language` that we speak, by weight. `unsaid`: where none of ours is named; clients of the console expect zh. */
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

/** Of callers of the API: SDKs and agents send no language, and their users read English. */
export function callerLanguage(headers: Headers): Language {
  return languageOf(headers.get('accept-language'), 'en');
}
