// Sentences of the server in stored rows: they are in the language of the caller.
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** A sentence of ours in the reader's language; whatever else was said, by a provider for instance, stays as it is. */
export function useInReadersLanguage(text: string): string {
  const { i18n } = useTranslation();
  const language = i18n.language.startsWith('zh') ? 'zh' : 'en';
  const [translated, setTranslated] = useState<{ text: string; language: string; sentence: string }>();
  const isForeign = text !== '' && /\p{Script=Han}/u.test(text) === (language === 'en');
  useEffect(() => {
    if (!isForeign) return;
    let isWanted = true;
    // Seldom needed, and long.
    void import('#shared/errors.ts').then(({ errors }) => {
      if (isWanted) setTranslated({ text, language, sentence: translate(text, Object.values(errors), language) });
    });
    return () => {
      isWanted = false;
    };
  }, [text, language, isForeign]);
  return isForeign && translated?.text === text && translated.language === language ? translated.sentence : text;
}

interface Sentence {
  zh: string;
  en: string;
}

/** `text` in the other language when it is one of the sentences, with what stands in its gaps. */
export function translate(text: string, sentences: readonly Sentence[], language: 'zh' | 'en'): string {
  for (const sentence of sentences) {
    const from = sentence[language === 'zh' ? 'en' : 'zh'];
    const names = [...from.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    // A sentence that is nothing but a gap would be every text.
    if (from.replaceAll(/\{\w+\}/g, '').trim() === '') continue;
    const pattern = from
      .split(/\{\w+\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('(.*?)');
    const found = new RegExp(`^${pattern}$`, 's').exec(text);
    if (found === null) continue;
    return names.reduce((said, name, index) => said.replaceAll(`{${name}}`, found[index + 1] ?? ''), sentence[language]);
  }
  return text;
}
