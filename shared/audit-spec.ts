// What a console call leaves in the audit log. Every call that changes something says so in its contract; the compiler refuses one that does not.

/** Kinds of objects in the audit log. */
export const auditKinds = [
  'channel',
  'token',
  'user',
  'group',
  'price',
  'setting',
  'code',
  'invitation',
  'sign_in',
  'usage_log',
  'organisation',
  'import',
  'backup',
  'bill',
  'file',
  'budget',
  'incident',
] as const;
export type AuditKind = (typeof auditKinds)[number];

/** What was done to an object. */
export const auditActions = [
  'created',
  'changed',
  'deleted',
  'restored',
  'enabled',
  'disabled',
  'key_replaced',
  'password_changed',
  'role_changed',
  'balance_changed',
  'binding_changed',
  'access_token_changed',
  'redeemed',
  'renamed',
  'moved',
  'sent',
  'withdrawn',
  'refunded',
  'sessions_ended',
  'signed_in',
  'sign_in_failed',
  'started',
  'stopped',
  'downloaded',
  'finished',
  'failed',
  'applied',
  'released',
  'raised',
  'reset',
  'authorized',
  'refused',
] as const;
export type AuditAction = (typeof auditActions)[number];

/**
 * Why a call leaves no entry: `reads`: it tests, exports or streams and changes no object; `own_session`: it begins or ends sessions of its caller, of which
 * those of administrators are recorded where sessions begin; `books`: it moves the caller's own money, which the ledger and the usage log record;
 * `mails`: it sends a mail or a code and changes no object; `jobs`: it starts or stops work whose changes are recorded one by one.
 */
export type AuditExemption = 'reads' | 'own_session' | 'books' | 'mails' | 'jobs';

/**
 * Changes of channels, tokens, users, codes and settings are recorded where they are stored, whatever call makes them: `kind` and `action` name them if
 * the difference does not. With `by: 'call'` the call itself is the entry, for objects that no audited record stands for; `object` names the field of
 * its parameters, query or body that identifies the object.
 */
export type AuditSpec =
  | { kind: AuditKind; action: AuditAction }
  | { kind: AuditKind; action: AuditAction; by: 'call'; object?: string }
  | { exempt: AuditExemption };
