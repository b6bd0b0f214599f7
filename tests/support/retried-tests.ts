// Names the tests that passed at the second try only: a wait that was too short, on a machine that is too busy, or a mistake.
import type { Reporter, TestModule } from 'vitest/node';

export class RetriedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `${module.relativeModuleId} (${test.project.name}): ${test.fullName}`),
    );
    if (retried.length === 0) return;
    process.stdout.write(`${retried.length} passed at the second try only:\n${retried.map((line) => `  ${line}\n`).join('')}`);
  }
}
