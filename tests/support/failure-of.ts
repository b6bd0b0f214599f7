/** What that work fails with. @throws {Error} when it does not fail */
export async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (failure) {
    return failure;
  }
  throw new Error('This was expected to fail');
}
