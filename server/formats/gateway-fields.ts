// Fields with which gateways choose other models or providers than the called one. An OpenAI-shaped or Claude-shaped address may be a gateway whatever the
// channel's type is, and a model that the caller chooses there is outside the key's models, policies, budgets and prices.

/** Names in the spelling of their gateways, which are checked for other spellings and duplicates. */
export const gatewayFields: readonly string[] = [
  // https://openrouter.ai/docs/features/model-routing, https://openrouter.ai/docs/features/web-search, https://openrouter.ai/docs/features/presets
  'models',
  'plugins',
  'route',
  'preset',
  'provider',
  // https://docs.litellm.ai/docs/proxy/reliability, https://docs.litellm.ai/docs/proxy/clientside_auth, https://docs.litellm.ai/docs/completion/input
  'fallbacks',
  'fallback_models',
  'context_window_fallbacks',
  'context_window_fallback_dict',
  'content_policy_fallbacks',
  'model_list',
  'user_config',
  'router_settings_override',
  'specific_deployment',
  'custom_llm_provider',
  'api_base',
  'base_url',
  // Members of these become fields, headers or a query of the gateway's own request.
  'extra_body',
  'extra_headers',
  'extra_query',
];

/** Read by a gateway in JavaScript, which knows no other spelling. https://vercel.com/docs/ai-gateway/openai-compat */
const exactFields: readonly string[] = ['providerOptions'];

/** No value of these fields is free. */
export const chargedGatewayFields: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
  [...gatewayFields, ...exactFields].map((name) => [name, []]),
);
