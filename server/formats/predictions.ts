// Predictions of Replicate: what is asked of a model stands in `input`, whatever kind of call it is.
// https://replicate.com/docs/reference/http#predictions.create

type Body = Readonly<Record<string, unknown>>;

/** Where a model is asked, below `/v1/`, and which version of it; null: that is no name of one. */
export function predictionTarget(model: string): { path: string; version?: string } | null {
  const [, name, version] = /^([\w.-]+\/[\w.-]+)?:?(\w{64})?$/.exec(model) ?? [];
  if (version !== undefined) return { path: 'predictions', version };
  return name === undefined || model.endsWith(':') ? null : { path: `models/${name}/predictions` };
}

/** Of a prediction; what else its operator has set for the channel is the model's to know. */
const ofPrediction: ReadonlySet<string> = new Set(['input', 'version']);

/** @param fields at the top of the body @param model as the provider calls it */
export function asPrediction(fields: Body, model: string): Record<string, unknown> {
  const input: Record<string, unknown> = { ...Object(fields['input']) };
  for (const [name, value] of Object.entries(fields)) if (!ofPrediction.has(name)) input[name] = value;
  const version = fields['version'] ?? predictionTarget(model)?.version;
  return version === undefined ? { input } : { version, input };
}

/** Its outcome is waited for as long as the provider lets one wait. */
export const waitingHeaders = { prefer: 'wait' };
