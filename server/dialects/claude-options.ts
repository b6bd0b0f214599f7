// What an operator has set about requests to Claude.
import type { Settings } from '#server/settings/settings.ts';
import type { ClaudeOptions } from './encode-request.ts';

export function claudeOptions(settings: Settings): ClaudeOptions {
  return {
    defaultMaxTokens: settings.get('claude.default_max_tokens'),
    thinkingShare: settings.get('claude.thinking_adapter_enabled')
      ? settings.get('claude.thinking_adapter_budget_tokens_percentage')
      : null,
    modelHeaders: settings.get('claude.model_headers_settings'),
  };
}
