export const title = 'Perplexity Agent API';
