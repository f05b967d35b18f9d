import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { de } from './texts-de';
import { en, type TextKey } from './texts-en';

export type Language = 'en' | 'de';

const KEY = 'vestibule-console-language';

interface Speech {
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  readonly text: (key: TextKey) => string;
}

const SpeechContext = createContext<Speech | undefined>(undefined);

const firstLanguage = (): Language => {
  const chosen = localStorage.getItem(KEY) ?? navigator.language.slice(0, 2);
  return chosen === 'de' ? 'de' : 'en';
};

/** Gives everything below it a language, which the browser remembers. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
    localStorage.setItem(KEY, language);
  }, [language]);
  const speech = useMemo<Speech>(
    () => ({ language, setLanguage, text: (key) => (language === 'de' ? de : en)[key] }),
    [language],
  );
  return <SpeechContext.Provider value={speech}>{children}</SpeechContext.Provider>;
}

/** The language of the reader, and its texts. */
export function useSpeech(): Speech {
  const speech = useContext(SpeechContext);
  if (!speech) throw new Error('there is no LanguageProvider above');
  return speech;
}
