/** Waits for a condition, for at most `milliseconds`; returns how long it took. */
export async function until(condition: () => boolean | Promise<boolean>, milliseconds = 10_000): Promise<number> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > milliseconds) throw new Error(`Nothing happened within ${milliseconds} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - start;
}
