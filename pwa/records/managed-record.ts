interface ManagedRecord {
  managed_by?: string | undefined;
  managed_left?: readonly string[] | undefined;
}

/** Reports whether the console may change that part of a record: no file manages the record, or its file leaves the part open. */
export function isFree({ managed_by: file, managed_left: left = [] }: ManagedRecord, part: 'status' | 'key'): boolean {
  return file === undefined || left.includes(part);
}

/** Number of records that files manage. */
export function countManaged(records: readonly ManagedRecord[]): number {
  return records.filter(({ managed_by: file }) => file !== undefined).length;
}
