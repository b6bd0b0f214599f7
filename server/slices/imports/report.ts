// Counts, money and remarks of an import. Remarks are summed by reason, so that a report of any import is short.
import { type ImportCount, type ImportKind, importKinds, type ImportNote, type ImportReport, importSums } from '#shared/imports.ts';
import type { MappedRow, RowMoney, RowNote } from './mapped-row.ts';
import type { NamedNote, ProgramName, SumName } from './program.ts';

const mostNotes = 500;
const mostNames = 40;
const longestName = 80;

type Place = 'here' | 'left' | 'deleted';
export type Outcome = 'added' | 'changed' | 'same' | 'left';

/** Sums that a kind's amount and used quota count towards. */
const sumsOf: Readonly<Partial<Record<ImportKind, { amount?: SumName; used?: SumName }>>> = {
  user: { amount: 'user_balance', used: 'user_used' },
  token: { amount: 'token_balance', used: 'token_used' },
  channel: { used: 'channel_used' },
  code: { amount: 'code_unused' },
  log: { amount: 'log_charged' },
};

export class Report {
  readonly #counts = new Map<ImportKind, ImportCount>(
    importKinds.map((kind) => [kind, { kind, source: 0, added: 0, changed: 0, same: 0, left: 0 }]),
  );
  readonly #money = new Map<SumName, Record<Place, number>>(importSums.map((name) => [name, { here: 0, left: 0, deleted: 0 }]));
  readonly #notes = new Map<string, ImportNote>();
  #moreNotes = 0;

  row(kind: ImportKind, { money, leftOut }: Pick<MappedRow<unknown>, 'money' | 'leftOut'>, outcome: Outcome): void {
    const count = this.countOf(kind);
    count.source += 1;
    count[outcome] += 1;
    this.#addMoney(kind, money, outcome !== 'left' ? 'here' : leftOut?.reason === 'deleted' ? 'deleted' : 'left');
  }

  /** A row that has been counted is left out after all. */
  refuse(kind: ImportKind, { money }: Pick<MappedRow<unknown>, 'money'>, counted: 'added' | 'changed' = 'added'): void {
    const count = this.countOf(kind);
    count[counted] -= 1;
    count.left += 1;
    this.#addMoney(kind, { amount: -money.amount, used: -money.used }, 'here');
    this.#addMoney(kind, money, 'left');
  }

  note(effect: ImportNote['effect'], kind: string, name: string, note: RowNote, rows = 1): void {
    const { reason, detail: given = '', quota = 0 } = note;
    const [detail, texts] = typeof given === 'string' ? [given, undefined] : [given.en, given];
    const key = [effect, kind, reason, detail].join('\n');
    let known = this.#notes.get(key);
    if (known === undefined) {
      if (this.#notes.size >= mostNotes) {
        this.#moreNotes += 1;
        return;
      }
      const shown = { detail: detail.slice(0, 200), ...(texts === undefined ? {} : { detail_texts: texts }) };
      known = { effect, kind, reason, ...shown, rows: 0, quota: 0, names: [] };
      this.#notes.set(key, known);
    }
    known.rows += rows;
    known.quota += quota;
    if (known.names.length < mostNames) known.names.push(name.length > longestName ? `${name.slice(0, longestName)}…` : name);
  }

  /** Settings that are left out are in no page of rows, so they are counted here. */
  named({ kind, name, note, isLeftOut, rows = 1 }: NamedNote): void {
    if (isLeftOut && kind === 'setting') {
      const count = this.countOf(kind);
      count.source += rows;
      count.left += rows;
    }
    this.note(isLeftOut ? 'left' : 'changed', kind, name, note, rows);
  }

  countOf(kind: ImportKind): ImportCount {
    const count = this.#counts.get(kind);
    if (count === undefined) throw new TypeError(`There is no kind ${kind}`);
    return count;
  }

  get conflicts(): ImportNote[] {
    return [...this.#notes.values()].filter(({ effect }) => effect === 'conflict');
  }

  done(label: string, program: ProgramName): ImportReport {
    return {
      label,
      program,
      counts: [...this.#counts.values()],
      money: [...this.#money].map(([name, { here, left, deleted }]) => ({ name, source: here + left, here, left, deleted })),
      notes: [...this.#notes.values()].toSorted((one, other) => Math.abs(other.quota) - Math.abs(one.quota) || other.rows - one.rows),
      more_notes: this.#moreNotes,
    };
  }

  #addMoney(kind: ImportKind, { amount, used }: RowMoney, place: Place): void {
    const names = sumsOf[kind];
    for (const [name, value] of [
      [names?.amount, amount],
      [names?.used, used],
    ] as const) {
      const sums = name === undefined ? undefined : this.#money.get(name);
      if (sums !== undefined) sums[place] += value;
    }
  }
}
