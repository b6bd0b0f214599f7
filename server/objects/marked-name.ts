// Names of permanent files at their provider: the caller's, with Tidegate's id before the extension. `find-by-name.ts` finds a file by this
// name if the upload was not answered.

/** Characters of a file name. OpenAI documents no limit (https://platform.openai.com/docs/api-reference/files); this one is common in file systems. */
const longest = 255;
const ending = /\.[0-9A-Za-z]{1,16}$/;
const marked = /\.(file-[0-9a-zA-Z]{24})(?=(?:\.[0-9A-Za-z]{1,16})?$)/;

/** `tide.txt` becomes `tide.file-….txt`: providers derive the type of a file from its extension, and models read the name. */
export function markedName(filename: string, id: string): string {
  const [end = ''] = ending.exec(filename) ?? [];
  const stem = filename.slice(0, filename.length - end.length);
  const room = longest - id.length - 1 - end.length;
  return `${(stem.length > room ? stem.slice(0, room) : stem).toWellFormed()}.${id}${end}`;
}

/** Returns the caller's name of the file. @param nameOf returns the name by Tidegate's id; undefined for files that are gone */
export function withoutMark(reported: string, nameOf: (id: string) => string | undefined): string {
  const id = marked.exec(reported)?.[1];
  return id === undefined ? reported : (nameOf(id) ?? reported.replace(marked, ''));
}
