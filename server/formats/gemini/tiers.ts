// Service tiers of Google. https://ai.google.dev/gemini-api/docs/priority-inference https://ai.google.dev/gemini-api/docs/flex-inference

/** Values that mean the same as no tier. */
export const usualTiers = ['unspecified', 'standard', 'SERVICE_TIER_UNSPECIFIED', 'STANDARD'];

/** Tiers that cost no more than the default. */
export const freeTiers = [...usualTiers, 'flex', 'FLEX'];
