// Chat links as rows. The setting is a list of objects with one name each.
export interface ChatRow {
  name: string;
  link: string;
}

/** Undefined: the text is no such list (yet). */
export function chatRows(text: string): ChatRow[] | undefined {
  try {
    const list: unknown = JSON.parse(text.trim() === '' ? '[]' : text);
    if (!Array.isArray(list)) return undefined;
    return list.map((item: unknown): ChatRow => {
      const entries = typeof item === 'object' && item !== null ? Object.entries(item) : [];
      const [first] = entries;
      if (entries.length !== 1 || first === undefined || typeof first[1] !== 'string') throw new TypeError('no chat link');
      return { name: first[0], link: first[1] };
    });
  } catch {
    return undefined;
  }
}

export function chatText(rows: readonly ChatRow[]): string {
  return JSON.stringify(
    rows.map(({ name, link }) => ({ [name]: link })),
    null,
    2,
  );
}

/** The row one place up or down. */
export function moved(rows: readonly ChatRow[], index: number, by: 1 | -1): ChatRow[] {
  const next = [...rows];
  const [row] = next.splice(index, 1);
  if (row !== undefined) next.splice(index + by, 0, row);
  return next;
}
