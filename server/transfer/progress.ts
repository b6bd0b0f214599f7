// Progress of work on many rows: rate and remaining time.

export interface ProgressReport {
  /** Part of the work, e.g. `copy`, `verify`. */
  step: string;
  done: number;
  all: number;
  /** Collection or index of the moment. */
  item?: string;
}

export type OnProgress = (report: ProgressReport) => void;

/** Time between two lines where the output is not a terminal. */
const lineMs = 5_000;
const redrawMs = 200;

/** Writes one line that is redrawn, or one every few seconds where the output is no terminal. */
export function createProgressLine(output: { write(text: string): unknown; isTTY?: boolean }): { report: OnProgress; end(): void } {
  const isTerminal = output.isTTY === true;
  let step = '';
  let beganAt = 0;
  let before = 0;
  let writtenAt = 0;
  let isOpen = false;

  function end(): void {
    if (isOpen) output.write('\n');
    isOpen = false;
  }

  function report(progress: ProgressReport): void {
    const now = performance.now();
    if (progress.step !== step) {
      end();
      // Resumed work does not count as fast.
      [step, beganAt, before, writtenAt] = [progress.step, now, progress.done, 0];
    }
    if (progress.done < progress.all && now - writtenAt < (isTerminal ? redrawMs : lineMs)) return;
    writtenAt = now;
    const line = lineOf(progress, { seconds: (now - beganAt) / 1000, before });
    if (!isTerminal) {
      output.write(`${line}\n`);
      return;
    }
    output.write(`\r${line}\u001B[K`);
    isOpen = true;
  }

  return { report, end };
}

function lineOf({ step, done, all, item }: ProgressReport, { seconds, before }: { seconds: number; before: number }): string {
  const rate = seconds > 0 ? (done - before) / seconds : 0;
  const share = all === 0 ? 100 : Math.min(100, Math.floor((done / all) * 100));
  const parts = [`${step}: ${grouped(done)} of ${grouped(all)} (${share} %)`];
  if (rate > 0) parts.push(`${grouped(Math.round(rate))}/s`);
  if (done >= all) parts.push(`in ${clock(seconds)}`);
  else if (rate > 0) parts.push(`${clock((all - done) / rate)} left`);
  if (item !== undefined && done < all) parts.push(item);
  return parts.join(' · ');
}

export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const padded = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(whole % 60)}` : `${minutes}:${padded(whole % 60)}`;
}
