/** As people call the format. */
export const title = 'AI Proxy Library';
