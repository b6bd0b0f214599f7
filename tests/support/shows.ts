import { vi } from 'vitest';

/** Waits until an expectation holds, however busy the machine is. */
export async function shows(expectation: () => unknown): Promise<void> {
  await vi.waitFor(expectation, { timeout: 30_000 });
}
