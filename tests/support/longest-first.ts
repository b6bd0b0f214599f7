// Sorts test files: the longest first, because every run waits for the file that starts last. The size of some files says nothing about their time,
// so measured times count: `npm run test:durations`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = path.join(import.meta.dirname, '../..');
/** Seconds of the files that took long in the run that was recorded. */
const durations = JSON.parse(readFileSync(path.join(root, 'tests/durations.json'), 'utf8')) as Partial<Record<string, number>>;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A project's files stay together: they share what their workers have loaded.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((one, other) => secondsOf(other) - secondsOf(one)),
    );
  }
}

function secondsOf({ moduleId }: TestSpecification): number {
  return durations[path.relative(root, moduleId)] ?? 0;
}
