// The order of test files. Without results of an earlier run Vitest begins with the largest file; of some the size says nothing about
// the time, and whoever is begun last is waited for by everybody.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files that take long. `.ci/run` names the slowest ones of a run in its last lines. */
const long = [
  'conformance/held-streams',
  'conformance/provider-table-first',
  'conformance/provider-table-second',
  'conformance/provider-table-third',
  'conformance/refusals',
  'e2e/failures',
  'e2e/first-paint',
  'e2e/guide',
  'e2e/hostile-texts',
  'e2e/keyboard-edits',
  'e2e/offline',
  'e2e/phone-day',
  'e2e/playground',
  'e2e/roles',
  'e2e/screens',
  'e2e/zoom',
  'faults/edits-under-load',
  'faults/frozen-process',
  'faults/frozen-stores',
  'faults/interleavings',
  'faults/kill',
  'faults/killed-batches',
  'faults/killed-videos',
  'faults/killed-worker',
  'faults/store-campaign',
  'faults/unknown-outcome',
  'faults/work-campaign',
  'faults/wallet-interleavings',
  'relay/largest-kept-bodies',
].map((name) => `/tests/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A project's files stay together: they share what their workers have loaded.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      const isLong = ({ moduleId }: TestSpecification) => long.some((name) => moduleId.endsWith(name));
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}
