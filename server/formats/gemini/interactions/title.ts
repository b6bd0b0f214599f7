/** The format as people call it. */
export const title = 'Gemini Interactions';
