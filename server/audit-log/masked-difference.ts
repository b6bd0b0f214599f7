// What differs between two versions of a record, as the audit log stores it: only what changed, without secrets, bounded.
import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '#shared/audit-spec.ts';
import { commaList } from '#shared/comma-list.ts';
import type { AuditChange, AuditedName } from '#server/db/records/audit-entry.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { auditedFields, type FieldMode, modeOf, plainEntries } from './audited-fields.ts';
import { auditText, longestName } from './audit-text.ts';

/** A record whose changes are recorded, without its collection's type. */
export interface AuditedRecord {
  id: number;
  revision: number;
  audited?: string;
}

/** Stored changes of an entry. */
const mostChanges = 40;
/** Stored names of a list that were added, and that were removed. */
const mostNames = 20;

export interface Difference {
  changes: AuditChange[];
  /** Number of changes that are not stored. */
  more: number;
}

/** Returns what differs. Without `before` the record is new: then fields that are empty or 0 are left out. */
export function differenceOf(name: AuditedName, before: AuditedRecord | null, after: AuditedRecord): Difference {
  const changes: AuditChange[] = [];
  for (const field of Object.keys(auditedFields[name])) {
    const mode = modeOf(name, field);
    if (mode === 'none') continue;
    const from: unknown = before === null ? undefined : Reflect.get(before, field);
    const to: unknown = Reflect.get(after, field);
    if (isSame(from, to) || (mode === 'secret' && (isPlace(from) || isPlace(to)))) continue;
    changes.push(...changesOf({ name, field, mode }, from, to));
  }
  return { changes: changes.slice(0, mostChanges), more: Math.max(0, changes.length - mostChanges) };
}

/** Returns whether a patch touches a field that is recorded. */
export function touchesAudited(name: AuditedName, fields: Iterable<string>): boolean {
  for (const path of fields) if (modeOf(name, path.split('.', 1)[0] ?? path) !== 'none') return true;
  return false;
}

/** Returns the action that the difference shows; undefined if it is an ordinary change. */
export function actionOf(name: AuditedName, changes: readonly AuditChange[]): AuditAction | undefined {
  const found = new Map(changes.map((change) => [change.field, change]));
  const deletion = found.get('DeletedAt');
  if (deletion !== undefined) return deletion.after === undefined ? 'restored' : 'deleted';
  if (found.has('role')) return 'role_changed';
  if (found.has('password_hash')) return 'password_changed';
  if (found.has('access_token_hash')) return 'access_token_changed';
  if (found.has('moved_to')) return 'moved';
  if (found.has('key_hash')) return 'key_replaced';
  const status = found.get('status');
  if (
    status === undefined ||
    changes.some(({ field }) => field !== 'status' && field !== 'other_info' && field !== 'used_user_id' && field !== 'blocked_reason')
  )
    return undefined;
  if (name === 'redemptions' && status.after === codeUsed) return 'redeemed';
  return status.after === enabled ? 'enabled' : 'disabled';
}

/** Status 1 of every kind of record. */
const enabled = 1;
const codeUsed = 3;

/** Stands for the key of a token while it is moved (`move-key.ts`), which replaces no key. */
function isPlace(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('moved:');
}

/** Undefined, null, empty and 0 are the same: nothing. */
function isSame(from: unknown, to: unknown): boolean {
  return (isEmpty(from) && isEmpty(to)) || isDeepStrictEqual(from, to);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}

interface Field {
  name: AuditedName;
  field: string;
  mode: FieldMode;
}

function changesOf({ name, field, mode }: Field, from: unknown, to: unknown): AuditChange[] {
  switch (mode) {
    case 'secret':
      return [secretChange(field, from, to)];
    case 'list':
      return listChange(field, commaList(textOf(from)), commaList(textOf(to)));
    case 'lines':
      return listChange(field, linesOf(from), linesOf(to));
    case 'address':
      return addressChange(field, textOf(from), textOf(to));
    case 'reason':
      return reasonChange(field, from, to);
    case 'file':
      return [valueChange(field, fileOf(from), fileOf(to))];
    case 'application':
      return [valueChange(field, applicationOf(from), applicationOf(to))];
    case 'names':
      return mapChanges(field, from, to, new Set());
    case 'map':
      return mapChanges(field, from, to, plainEntries[`${name}.${field}`]);
    default:
      return [valueChange(field, from, to)];
  }
}

function secretChange(field: string, from: unknown, to: unknown): AuditChange {
  return { field, secret: isEmpty(from) ? 'set' : isEmpty(to) ? 'removed' : 'replaced' };
}

function valueChange(field: string, from: unknown, to: unknown): AuditChange {
  const [before, after] = [storedValue(from), storedValue(to)];
  return { field, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

/** Values of any other type are stored as their JSON. */
function storedValue(value: unknown): string | number | boolean | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return auditText(typeof value === 'string' ? value : JSON.stringify(value));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function linesOf(value: unknown): string[] {
  return textOf(value)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Nothing if only the order differs. */
function listChange(field: string, from: readonly string[], to: readonly string[]): AuditChange[] {
  const [before, after] = [new Set(from), new Set(to)];
  const added = [...after].filter((one) => !before.has(one));
  const removed = [...before].filter((one) => !after.has(one));
  if (added.length + removed.length === 0) return [];
  const stored = (names: readonly string[]) => names.slice(0, mostNames).map((one) => auditText(one, longestName));
  const more = Math.max(0, added.length - mostNames) + Math.max(0, removed.length - mostNames);
  return [
    {
      field,
      ...(added.length === 0 ? {} : { added: stored(added) }),
      ...(removed.length === 0 ? {} : { removed: stored(removed) }),
      ...(more === 0 ? {} : { more }),
    },
  ];
}

function addressChange(field: string, from: string, to: string): AuditChange[] {
  const [before, after] = [plainAddress(from), plainAddress(to)];
  return [before === after ? { field, secret: 'replaced' } : valueChange(field, before, after)];
}

/** Without what may be secret in an address: credentials, query and fragment. */
function plainAddress(address: string): string {
  const url = URL.parse(address);
  if (url !== null && /^(?:https?|wss?):$/.test(url.protocol)) {
    const { protocol, host, pathname } = url;
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  }
  // No address that a request could be sent to: all before an `@` may be credentials.
  const path = address.split(/[?#]/, 1)[0] ?? '';
  return path.slice(path.lastIndexOf('@') + 1);
}

function reasonChange(field: string, from: unknown, to: unknown): AuditChange[] {
  const [before, after] = [reasonOf(from), reasonOf(to)];
  return before === after ? [] : [valueChange(field, before, after)];
}

function reasonOf(info: unknown): string {
  const reason: unknown = parsedObject(info)?.['status_reason'];
  return textOf(reason);
}

function fileOf(mark: unknown): string {
  return typeof mark === 'object' && mark !== null && 'file' in mark && typeof mark.file === 'string' ? mark.file : '';
}

function applicationOf(application: unknown): string {
  if (typeof application !== 'object' || application === null || !('name' in application) || !('target' in application)) return '';
  return [textOf(application.name), textOf(application.target)].filter((text) => text !== '').join(' · ');
}

/** Each entry is a field of its own; values of entries outside of `plain` are secret. */
function mapChanges(field: string, from: unknown, to: unknown, plain: ReadonlySet<string> | undefined): AuditChange[] {
  const [before, after] = [parsedObject(from), parsedObject(to)];
  // A text that is no object could hold anything.
  if (before === null || after === null) return [secretChange(field, from, to)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((one) => !isSame(before[one], after[one]))
    .map((one, index) => {
      // Only counted.
      if (index >= mostChanges) return { field };
      const path = `${field}.${auditText(one, longestName)}`;
      const isPlain = plain === undefined || plain.has(one);
      return isPlain ? valueChange(path, before[one], after[one]) : secretChange(path, before[one], after[one]);
    });
}

function parsedObject(text: unknown): Record<string, unknown> | null {
  return typeof text !== 'string' || text.trim() === '' ? {} : parseObject(text);
}
