// A plan as text for a terminal.
import type { DocumentProblem, Plan, PlanChange, PlanField } from '#shared/as-code.ts';

const signs = { created: '+', changed: '~', managed: '=', deleted: '-' } as const;

export function planText({ name, changes, same, left, warnings }: Plan): string {
  const lines = [
    ...warnings.map((warning) => `warning: ${problemText(warning)}`),
    ...changes.flatMap(changeLines),
    ...left.map((one) => `! ${one.kind} ${one.name}: no longer in the files; --prune deletes it, --release ${name} releases all`),
    `${name}: ${countText(changes)}, ${same} as described`,
  ];
  return `${lines.map(plainLine).join('\n')}\n`;
}

export function problemText({ file, line, column, message }: DocumentProblem): string {
  return `${file}:${line}:${column} ${message}`;
}

function changeLines({ kind, name, action, file, line, fields }: PlanChange): string[] {
  const place = file === undefined || action === 'deleted' ? '' : `  (${file}:${line ?? 1})`;
  const note = action === 'managed' ? ', as described already: managed from now on' : '';
  return [`${signs[action]} ${kind} ${name}${note}${place}`, ...fields.map((field) => `    ${fieldText(field)}`)];
}

function fieldText({ field, before, after, is_secret: isSecret }: PlanField): string {
  if (isSecret === true) return `${field}: (secret)`;
  return `${field}: ${before === undefined ? '' : `${before} → `}${after ?? '(none)'}`;
}

function countText(changes: readonly PlanChange[]): string {
  const count = (action: PlanChange['action']) => changes.filter((change) => change.action === action).length;
  const managed = count('managed');
  return `${count('created')} to create, ${count('changed')} to change, ${count('deleted')} to delete${managed > 0 ? `, ${managed} to manage` : ''}`;
}

/** Control characters of a file must not act on the terminal. */
function plainLine(line: string): string {
  return line.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
}
