/** Keep-alive: a comment, which clients skip anywhere. */
export const keepAlive = ': keep-alive\n\n';
