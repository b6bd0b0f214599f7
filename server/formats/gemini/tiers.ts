// Service tiers of Google. https://ai.google.dev/gemini-api/docs/priority-inference https://ai.google.dev/gemini-api/docs/flex-inference

/** Equal to a request without a tier. */
export const usualTiers = ['unspecified', 'standard', 'SERVICE_TIER_UNSPECIFIED', 'STANDARD'];

/** Tiers at or below the model's price. */
export const freeTiers = [...usualTiers, 'flex', 'FLEX'];
