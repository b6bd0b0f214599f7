// What every screen is looked at in, is too much for every run: each run looks at a screen once, in another look than the day before.
// `npm run test:e2e -- --all` looks at all.

const dayMs = 86_400_000;
const looksAtAll = process.env['TEST_ALL_LOOKS'] === '1';
/** `TEST_TURN` repeats the run of another day. */
export const turn = Number(process.env['TEST_TURN'] ?? Math.floor(Date.now() / dayMs));

/** Of these the ones whose turn it is in that look; together the looks have each once. */
export function inTurn<Item>(items: readonly Item[], look: number, looks: number): Item[] {
  return looksAtAll ? [...items] : items.filter((_, index) => (index + turn) % looks === look);
}

/** The look whose turn it is, for a test that is the same in each. */
export function lookInTurn<Look>(looks: readonly Look[]): Look[] {
  return looksAtAll ? [...looks] : looks.filter((_, index) => index === turn % looks.length);
}
