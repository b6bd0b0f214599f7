// How often a model reads its examples, where nobody says it: decided here, so that what a training costs at the most is known before.
// The vendor's own rule: https://cookbook.openai.com/examples/chat_finetuning_data_prep#cost-estimation
const usual = 3;
const fewest = 1;
const most = 25;
/** Readings of examples in all. */
const leastRead = 100;
const mostRead = 25_000;

export function usualEpochs(examples: number): number {
  if (examples * usual < leastRead) return Math.min(most, Math.floor(leastRead / examples));
  if (examples * usual > mostRead) return Math.max(fewest, Math.floor(mostRead / examples));
  return usual;
}
