import type { TFunction } from 'i18next';

const named = 3;

/** The first few names, and how many more there are. */
export function firstNames(names: readonly string[], t: TFunction): string {
  const first = names.slice(0, named).join(', ');
  return names.length > named ? t('guide.next.and_more', { names: first, count: names.length - named }) : first;
}
