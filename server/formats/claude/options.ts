// What an operator has set about requests to Claude.
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { DialectSettings } from '../upstream-dialect.ts';

/** What the setting has for all other models as it comes. */
const usualLimit = 8192;

/** Tokens of a response where the client set no limit: what an operator has set, else the most that the model can write. */
export function defaultMaxTokens(settings: DialectSettings, model: string, knownAs = model): number {
  const limits = settings.get('claude.default_max_tokens');
  const { default: others = usualLimit } = limits;
  return limits[model] ?? (others === usualLimit ? (maxOutputTokens(knownAs) ?? others) : others);
}

/** Of `max_tokens`, for names that end in `-thinking`; null: such names are sent as they are. */
export function thinkingShare(settings: DialectSettings): number | null {
  return settings.get('claude.thinking_adapter_enabled') ? settings.get('claude.thinking_adapter_budget_tokens_percentage') : null;
}

/** Further headers of calls of that model; several values become one header. */
export function modelHeaders(settings: DialectSettings, model: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(settings.get('claude.model_headers_settings')[model] ?? {}))
    headers[name.toLowerCase()] = values.join(', ');
  return headers;
}
