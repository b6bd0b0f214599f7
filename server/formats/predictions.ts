// Writes predictions of Replicate, where the request of every kind of call is in `input`. https://replicate.com/docs/reference/http#predictions.create

type Body = Readonly<Record<string, unknown>>;

/** Returns the path of a model below `/v1/` and its version; null if the name is invalid. */
export function predictionTarget(model: string): { path: string; version?: string } | null {
  const [, name, version] = /^([\w.-]+\/[\w.-]+)?:?(\w{64})?$/.exec(model) ?? [];
  if (version !== undefined) return { path: 'predictions', version };
  return name === undefined || model.endsWith(':') ? null : { path: `models/${name}/predictions` };
}

/** Members of a prediction; other overrides of the channel belong to the model's input. */
const ofPrediction: ReadonlySet<string> = new Set(['input', 'version']);

/**
 * @param fields top-level fields of the body
 * @param model model name at the provider
 */
export function asPrediction(fields: Body, model: string): Record<string, unknown> {
  const input: Record<string, unknown> = { ...Object(fields['input']) };
  for (const [name, value] of Object.entries(fields)) if (!ofPrediction.has(name)) input[name] = value;
  const version = fields['version'] ?? predictionTarget(model)?.version;
  return version === undefined ? { input } : { version, input };
}

/** Headers that make the provider wait for the outcome as long as it allows. */
export const waitingHeaders = { prefer: 'wait' };
