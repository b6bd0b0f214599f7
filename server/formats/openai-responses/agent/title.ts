/** The format as people call it. */
export const title = 'Perplexity Agent API';
