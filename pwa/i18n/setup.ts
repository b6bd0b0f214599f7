// Languages of the console: zh first, en complete. Keys are `slice.place.thing`; each slice is a file per language and is
// loaded with the first screen that needs it. i18next takes the first segment of a key as the name of that file.
import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';

export type Language = 'zh' | 'en';
export const languages: readonly Language[] = ['zh', 'en'];

const storageKey = 'i18nextLng';
type Texts = Record<string, unknown>;
/** Texts that every page needs: loaded at start, in one piece per language. */
const firstSlices = ['common', 'frame', 'session', 'errors'] as const;
const firstTexts: Record<string, () => Promise<Record<string, Texts>>> = {
  zh: async () => (await import('./first-zh.ts')).firstTexts,
  en: async () => (await import('./first-en.ts')).firstTexts,
};

const fileBackend: BackendModule = {
  type: 'backend',
  init: () => {},
  read(language, slice, done) {
    readTexts(language, slice).then(
      (texts) => done(null, texts),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), false),
    );
  },
};

export async function startTexts(): Promise<void> {
  await i18next
    .use(fileBackend)
    .use(initReactI18next)
    .init({
      lng: rememberedLanguage(),
      fallbackLng: false,
      supportedLngs: [...languages],
      load: 'languageOnly',
      ns: [...firstSlices],
      defaultNS: 'common',
      nsSeparator: '.',
      keySeparator: '.',
      interpolation: { escapeValue: false },
      react: { useSuspense: false },
      returnNull: false,
    });
  applyLanguage(currentLanguage());
}

/** Loads the texts of slices; a route's loader awaits it. */
export async function loadTexts(...slices: string[]): Promise<void> {
  await i18next.loadNamespaces(slices);
}

export function currentLanguage(): Language {
  return i18next.resolvedLanguage === 'en' || i18next.language === 'en' ? 'en' : 'zh';
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language);
  await i18next.changeLanguage(language);
  applyLanguage(language);
}

/** A text outside React. */
export function translate(key: string, values: Record<string, string | number> = {}): string {
  return i18next.t(key, values);
}

async function readTexts(language: string, slice: string): Promise<Texts> {
  if (firstSlices.some((first) => first === slice)) {
    const texts = (await firstTexts[language]?.())?.[slice];
    if (texts !== undefined) return texts;
  }
  const load = (await import('./text-files.ts')).textFiles[`./${language}/${slice}.json`];
  if (load === undefined) throw new Error(`no texts for ${language}/${slice}`);
  return load();
}

function rememberedLanguage(): Language {
  const remembered = localStorage.getItem(storageKey) ?? navigator.language;
  return remembered.toLowerCase().startsWith('en') ? 'en' : 'zh';
}

function applyLanguage(language: Language): void {
  document.documentElement.lang = language === 'en' ? 'en' : 'zh-CN';
}
