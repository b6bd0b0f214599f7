// What a file that stays is called at its provider: as at its caller's, with our name of it before the ending. By that it is found there
// (`files/find-by-name.ts`) when its upload was not answered.

/** Characters of a file's name: https://platform.openai.com/docs/api-reference/files tells no bound; common file systems have this one. */
const longest = 255;
const ending = /\.[0-9A-Za-z]{1,16}$/;
const marked = /\.(file-[0-9a-zA-Z]{24})(?=(?:\.[0-9A-Za-z]{1,16})?$)/;

/** `tide.txt` becomes `tide.file-….txt`: a provider tells kinds of files by their endings, and a model reads the name. */
export function markedName(filename: string, id: string): string {
  const [end = ''] = ending.exec(filename) ?? [];
  const stem = filename.slice(0, filename.length - end.length);
  const room = longest - id.length - 1 - end.length;
  return `${(stem.length > room ? stem.slice(0, room) : stem).toWellFormed()}.${id}${end}`;
}

/** What its caller called it. @param nameOf by our id; undefined: nobody knows it any more */
export function withoutMark(reported: string, nameOf: (id: string) => string | undefined): string {
  const id = marked.exec(reported)?.[1];
  return id === undefined ? reported : (nameOf(id) ?? reported.replace(marked, ''));
}
