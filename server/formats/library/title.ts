export const title = 'AI Proxy Library';
