// Languages of the console: zh first, en complete. Keys are `slice.place.thing`; each slice is a file per language and is
// loaded with the first screen that needs it. i18next takes the first segment of a key as the name of that file.
import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';

export type Language = 'zh' | 'en';
export const languages: readonly Language[] = ['zh', 'en'];

const storageKey = 'i18nextLng';
/** Texts that the shell and the sign-in need: loaded at start, in one piece per language. */
const firstTexts = ['common', 'shell', 'session', 'errors', 'home'] as const;
const files = import.meta.glob<Record<string, unknown>>(['./zh/*.json', './en/*.json'], { import: 'default' });

const fileBackend: BackendModule = {
  type: 'backend',
  init: () => {},
  read(language, slice, done) {
    const load = files[`./${language}/${slice}.json`];
    if (load === undefined) {
      done(new Error(`no texts for ${language}/${slice}`), false);
      return;
    }
    load().then(
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
      ns: [...firstTexts],
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

function rememberedLanguage(): Language {
  const remembered = localStorage.getItem(storageKey) ?? navigator.language;
  return remembered.toLowerCase().startsWith('en') ? 'en' : 'zh';
}

function applyLanguage(language: Language): void {
  document.documentElement.lang = language === 'en' ? 'en' : 'zh-CN';
}
