/** A comment: clients pass over it everywhere. */
export const keepAlive = ': keep-alive\n\n';
