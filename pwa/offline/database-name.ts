/** Of the console's IndexedDB. */
export const databaseName = 'tidegate';
