export const title = 'Gemini Interactions';
