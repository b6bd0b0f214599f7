// Ids of fine-tuned models: `ft:<base>:<suffix>:<random>`, with `:ckpt-step-<n>` for a checkpoint.
// https://platform.openai.com/docs/guides/fine-tuning

const prefix = 'ft:';
/** Characters. */
const longest = 256;
const endingOfCheckpoint = /:ckpt-step-(\d{1,12})$/;

export function isTunedModelId(model: string): boolean {
  return model.startsWith(prefix) && model.length <= longest;
}

export function checkpointId(model: string, step: number): string {
  return `${model}:ckpt-step-${step}`;
}

/** `step` is undefined for the final model. */
export function readTunedModelId(id: string): { model: string; step: number | undefined } {
  const [ending = '', step] = endingOfCheckpoint.exec(id) ?? [];
  return { model: id.slice(0, id.length - ending.length), step: step === undefined ? undefined : Number(step) };
}
