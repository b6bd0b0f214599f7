/** Lanes that cost no more than the model's price. https://ai.google.dev/gemini-api/docs/priority-inference */
export const cheapTiers = ['unspecified', 'standard', 'flex', 'SERVICE_TIER_UNSPECIFIED', 'STANDARD', 'FLEX'];
