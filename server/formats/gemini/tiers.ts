// Lanes of Google's. https://ai.google.dev/gemini-api/docs/priority-inference https://ai.google.dev/gemini-api/docs/flex-inference

/** A request without a lane goes there as well. */
export const usualTiers = ['unspecified', 'standard', 'SERVICE_TIER_UNSPECIFIED', 'STANDARD'];

/** They cost no more than the model's price. */
export const cheapTiers = [...usualTiers, 'flex', 'FLEX'];
