// Where the texts of every slice are that is not part of the first load. The sign-in goes without this list; the shell brings it along.
export const textFiles = import.meta.glob<Record<string, unknown>>(
  ['./zh/*.json', './en/*.json', '!**/{common,frame,session,errors}.json'],
  { import: 'default' },
);
