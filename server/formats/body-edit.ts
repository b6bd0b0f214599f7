// Edits of a request body that copy it on the first change.
export type Body = Readonly<Record<string, unknown>>;

export interface BodyEdit {
  has(field: string): boolean;
  get(field: string): unknown;
  set(field: string, value: unknown): void;
  drop(field: string): void;
  /** Renames a field; if the body has both names, the target's value is used. */
  rename(from: string, to: string): void;
  /** Returns the edited body, the same object if nothing changed. */
  result(): Body;
}

export function createEdit(body: Body): BodyEdit {
  let copy: Record<string, unknown> | undefined;
  const edit: BodyEdit = {
    has: (field) => Object.hasOwn(copy ?? body, field),
    get(field) {
      const current = copy ?? body;
      return Object.hasOwn(current, field) ? current[field] : undefined;
    },
    set(field, value) {
      copy ??= { ...body };
      copy[field] = value;
    },
    drop(field) {
      if (!Object.hasOwn(copy ?? body, field)) return;
      copy ??= { ...body };
      delete copy[field];
    },
    rename(from, to) {
      if (!edit.has(from)) return;
      if (edit.get(to) === undefined || edit.get(to) === null) edit.set(to, edit.get(from));
      edit.drop(from);
    },
    result: () => copy ?? body,
  };
  return edit;
}
