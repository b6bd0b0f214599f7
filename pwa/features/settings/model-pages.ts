import { fields, type SettingPage } from './setting-entry.ts';

/** How calls are passed on. */
export const modelPages: readonly SettingPage[] = [
  {
    name: 'global',
    group: 'models',
    sections: [{ entries: fields('global.pass_through_request_enabled', 'CostHeaderEnabled', 'ServerTimingEnabled') }],
  },
  {
    name: 'tools',
    group: 'models',
    sections: [{ entries: fields('LongInputPrice', 'TierPrice', 'VideoPrice', 'FineTuningPrice', 'ToolPrice', 'ToolCallsPerRequest') }],
  },
  {
    name: 'gemini',
    group: 'models',
    sections: [
      {
        entries: fields(
          'gemini.safety_settings',
          'gemini.version_settings',
          'gemini.thinking_adapter_enabled',
          'gemini.thinking_adapter_budget_tokens_percentage',
        ),
      },
    ],
  },
  {
    name: 'claude',
    group: 'models',
    sections: [
      {
        entries: fields(
          'claude.default_max_tokens',
          'claude.thinking_adapter_enabled',
          'claude.thinking_adapter_budget_tokens_percentage',
          'claude.model_headers_settings',
        ),
      },
    ],
  },
  {
    name: 'ratelimit',
    group: 'models',
    sections: [
      {
        entries: fields(
          'ModelRequestRateLimitEnabled',
          'ModelRequestRateLimitDurationMinutes',
          'ModelRequestRateLimitCount',
          'ModelRequestRateLimitSuccessCount',
        ),
      },
      { entries: fields('SiteRateLimits', 'SiteBudgets') },
    ],
  },
];
