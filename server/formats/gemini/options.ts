// Operator settings for Gemini requests.
import type { DialectSettings } from '../upstream-dialect.ts';

const categories = [
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
  'HARM_CATEGORY_CIVIC_INTEGRITY',
];

/** Blocking threshold by harm category. */
export function safetySettings(settings: DialectSettings): readonly Readonly<Record<string, string>>[] {
  const thresholds = settings.get('gemini.safety_settings');
  return categories.map((category) => ({ category, threshold: thresholds[category] || thresholds['default'] || 'OFF' }));
}
