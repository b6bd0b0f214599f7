// Report and proof as texts for a terminal.
import { importReasonText } from '#shared/import-reasons.ts';
import type { ImportOptions, ImportProgress, ImportProof, ImportReport } from '#shared/imports.ts';

const kindNames: Readonly<Record<string, string>> = {
  setting: 'settings',
  user: 'users',
  token: 'tokens',
  channel: 'channels',
  code: 'codes',
  order: 'orders',
  task: 'tasks',
  log: 'log rows',
  price: 'prices',
  other: 'other',
};

const effects = { conflict: 'Conflicts', left: 'Left out', changed: 'Changed on the way' } as const;

export function reportText({ label, counts, money, notes, more_notes: more }: ImportReport): string {
  const lines = [`Source: ${label}`, '', row(['', 'source', 'new', 'changed', 'same', 'left out'])];
  for (const { kind, source, added, changed, same, left } of counts) {
    if (source > 0) lines.push(row([kindNames[kind] ?? kind, ...[source, added, changed, same, left].map(String)]));
  }
  const sums = money.filter(({ source, here, left, deleted }) => source !== 0 || here !== 0 || left !== 0 || deleted !== 0);
  if (sums.length > 0) lines.push('', row(['quota', 'source', 'here', 'left out', 'of deleted rows']));
  for (const { name, source, here, left, deleted } of sums) lines.push(row([name, ...[source, here, left, deleted].map(String)]));
  for (const effect of ['conflict', 'left', 'changed'] as const) {
    const found = notes.filter((note) => note.effect === effect);
    if (found.length === 0) continue;
    lines.push('', `${effects[effect]}:`);
    for (const note of found) {
      const { kind, rows, quota, names } = note;
      const some = names
        .filter((name) => name !== '')
        .slice(0, 8)
        .join(', ');
      lines.push(
        `  ${kindNames[kind] ?? kind}, ${rows}: ${importReasonText(note, 'en')}${quota === 0 ? '' : ` (${quota} quota)`}${some === '' ? '' : `: ${some}${rows > 8 ? ' …' : ''}`}`,
      );
    }
  }
  if (more > 0) lines.push(`  and ${more} more`);
  return `${lines.join('\n')}\n`;
}

/** What to do after a dry run. */
export function dryRunText({ notes }: ImportReport, { log_days: logDays }: Pick<ImportOptions, 'log_days'>): string {
  const lines = ['Nothing was written.'];
  if (logDays === 0) lines.push('The log is not included: add --log-days N for the rows of the last N days.');
  lines.push(
    notes.some(({ effect }) => effect === 'conflict')
      ? 'Conflicts refuse the import: add --conflicts leave to leave such rows out, or --conflicts rename to rename such accounts.'
      : 'The same command without --dry-run imports.',
  );
  return `${lines.join('\n')}\n`;
}

export function proofText(proof: ImportProof): string {
  const lines = [row(['proof', 'source', 'here', 'left out', ''])];
  for (const { name, source, here, left, is_equal: isEqual } of [...proof.counts, ...proof.sums]) {
    lines.push(row([kindNames[name] ?? name, String(source), String(here), String(left), isEqual ? 'equal' : 'DIFFERENT']));
  }
  lines.push(
    '',
    `${proof.accounts} books audited, ${proof.unbalanced} do not balance`,
    `${proof.openings} accounts have their opening entry, ${proof.without_opening} have none`,
    `${proof.records} records compared, ${proof.missing} are missing`,
    `SHA-256 ${proof.checksum}`,
  );
  return `${lines.join('\n')}\n`;
}

export function progressText({ done, total, rate }: ImportProgress): string {
  const left = rate > 0 ? Math.ceil((total - done) / rate) : 0;
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return `${done} of ${total} rows (${percent} %), ${rate} a second, ${left < 60 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`} left`;
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(16) : cell.padStart(18))).join('');
}
