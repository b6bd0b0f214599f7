/** Waits for a condition, for at most `milliseconds`; returns how long it took. */
export async function until(condition: () => boolean | Promise<boolean>, milliseconds = 30_000): Promise<number> {
  const start = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - start;
    if (waited > milliseconds) throw new Error(`Nothing happened within ${milliseconds} ms`);
    // Polls at growing intervals: many tests that wait for seconds would slow each other down.
    await new Promise((resolve) => setTimeout(resolve, Math.min(5 + waited / 20, 50)));
  }
  return performance.now() - start;
}
