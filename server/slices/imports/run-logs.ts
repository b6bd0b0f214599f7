// Imports rows of the log. They are many, so no mark per row is stored: positions of the first and last row identify what was imported.
import type { ImportJob } from './import-job.ts';
import { importRows, leave, markHours, storeState } from './run-stage.ts';
import type { FreshRow } from './targets/target.ts';
import type { LogDraft } from './mapped-row.ts';
import type { ProgramPage } from './program.ts';
import { logTarget } from './targets/other-targets.ts';

export async function runLogs(job: ImportJob): Promise<void> {
  const { state, options, context } = job;
  if (options.log_days === 0) return;
  const since = Math.floor(context.now() / 1000) - options.log_days * 86_400;
  const { log_first: first } = state;
  const counted = job.report.countOf('log');
  counted.source += state.log_count;
  counted.same += state.log_count;
  if (first !== undefined) {
    // Rows that were too old for an earlier run.
    await runRange(job, { since, after: state.log_older, before: first }, ({ position, first: older }) => {
      state.log_older_first ??= older;
      state.log_older = position;
    });
    if (!job.isDry) await endExtension(job);
  }
  await runRange(job, { since, after: state.log_last }, ({ position, first: newest }) => {
    state.log_first ??= newest;
    state.log_last = position;
  });
}

/** The extension is complete: the first row of it is the first of all. */
async function endExtension({ context, state }: ImportJob): Promise<void> {
  if (state.log_older === undefined) return;
  state.log_first = state.log_older_first ?? state.log_first;
  delete state.log_older;
  delete state.log_older_first;
  await storeState({ context, state });
}

/** @param advance changes the positions in the state, which is stored once the page is complete */
async function runRange(
  job: ImportJob,
  range: { since: number; after?: string | undefined; before?: string | undefined },
  advance: (page: ProgramPage<LogDraft>) => void,
): Promise<void> {
  for await (const page of job.program.pages('log', range)) {
    const fresh: FreshRow<LogDraft>[] = [];
    for (const row of page.rows) {
      const { draft } = row;
      if (draft === null) leave(job, 'log', row);
      else fresh.push({ ...row, draft });
    }
    await importRows(job, logTarget, fresh);
    if (!job.isDry) {
      await markHours(
        job,
        fresh.map(({ draft }) => draft.created_at),
      );
      job.state.log_count += fresh.length;
      job.state.log_left += page.rows.length - fresh.length;
      job.state.log_quota += fresh.reduce((sum, { money }) => sum + money.amount, 0);
      job.state.pending = null;
      advance(page);
      await storeState(job);
    }
    await job.onRows('log', page.rows.length);
  }
}
