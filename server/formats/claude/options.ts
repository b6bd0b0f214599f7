// Operator settings for Claude requests.
import { maxOutputTokens } from '#server/money/max-output-tokens.ts';
import type { DialectSettings } from '../upstream-dialect.ts';

/** Default of the setting for models that it does not name. */
const usualLimit = 8192;

/** Default token limit: the operator's setting, or the model's maximum. */
export function defaultMaxTokens(settings: DialectSettings, model: string, knownAs = model): number {
  const limits = settings.get('claude.default_max_tokens');
  const { default: others = usualLimit } = limits;
  return limits[model] ?? (others === usualLimit ? (maxOutputTokens(knownAs) ?? others) : others);
}

/** Returns the share of `max_tokens` for thinking of names ending in `-thinking`; null if such names are sent unchanged. */
export function thinkingShare(settings: DialectSettings): number | null {
  return settings.get('claude.thinking_adapter_enabled') ? settings.get('claude.thinking_adapter_budget_tokens_percentage') : null;
}

/** Returns the additional headers for a model; multiple values are joined. */
export function modelHeaders(settings: DialectSettings, model: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(settings.get('claude.model_headers_settings')[model] ?? {}))
    headers[name.toLowerCase()] = values.join(', ');
  return headers;
}
