// Databases of other gateways, and an import of one into a test application.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ImportOptions, type ImportProof, type ImportReport } from '#shared/imports.ts';
import { openProgram, type ProgramRequest } from '#server/slices/imports/open-program.ts';
import { proveImport } from '#server/slices/imports/prove-import.ts';
import { runImport } from '#server/slices/imports/run-import.ts';
import type { TestApp } from '#tests/support/test-app.ts';

export type SourceFile = 'one-api' | 'new-api' | 'new-api-upgraded' | 'new-api-2025-11' | 'new-api-2026';

export interface SourceCopy {
  file: string;
  [Symbol.dispose](): void;
}

/** A copy of a database that the program itself has written. */
export function sourceCopy(name: SourceFile): SourceCopy {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-import-'));
  const file = join(folder, `${name}.db`);
  writeFileSync(file, gunzipSync(readFileSync(new URL(`./imports/${name}.db.gz`, import.meta.url))));
  return { file, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

export const everyDay = 36_500;

/** @param signal ends the import after a page */
export async function planImport(app: TestApp, from: string | ProgramRequest, options: Partial<ImportOptions> = {}): Promise<ImportReport> {
  return withProgram(app, from, (program) => runImport(app.context, { program, options: optionsOf(options), isDry: true }));
}

export async function importFrom(
  app: TestApp,
  from: string | ProgramRequest,
  options: Partial<ImportOptions> = {},
): Promise<{ report: ImportReport; proof: ImportProof }> {
  return withProgram(app, from, async (program) => {
    const chosen = optionsOf(options);
    const report = await runImport(app.context, { program, options: chosen, isDry: false });
    return { report, proof: await proveImport(app.context, { program, options: chosen, report }) };
  });
}

export function optionsOf(options: Partial<ImportOptions> = {}): ImportOptions {
  return ImportOptions.parse({ log_days: everyDay, ...options });
}

export async function withProgram<Result>(
  app: TestApp,
  from: string | ProgramRequest,
  work: (program: Awaited<ReturnType<typeof openProgram>>['program']) => Promise<Result>,
): Promise<Result> {
  const { context } = app;
  const { program, close } = await openProgram(typeof from === 'string' ? { from } : from, {
    now: Math.floor(context.now() / 1000),
    secrets: context.secrets,
    quotaPerUnit: context.settings.get('QuotaPerUnit'),
  });
  try {
    return await work(program);
  } finally {
    await close();
  }
}

/** Rows of the report by kind. */
export function countOf(report: ImportReport, kind: string) {
  return report.counts.find((count) => count.kind === kind);
}

export function moneyOf(report: ImportReport): Record<string, number> {
  return Object.fromEntries(report.money.map(({ name, here }) => [name, here]));
}
