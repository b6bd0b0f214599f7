// Default number of epochs: chosen here, so that the maximum cost of a job is known in advance. The vendor's rule:
// https://cookbook.openai.com/examples/chat_finetuning_data_prep#cost-estimation
const usual = 3;
const fewest = 1;
const most = 25;
/** Bounds of examples times epochs. */
const leastRead = 100;
const mostRead = 25_000;

export function usualEpochs(examples: number): number {
  if (examples * usual < leastRead) return Math.min(most, Math.floor(leastRead / examples));
  if (examples * usual > mostRead) return Math.max(fewest, Math.floor(mostRead / examples));
  return usual;
}
