// Completes function parameters to a schema that every provider accepts: an object with properties, possibly none.
// https://platform.openai.com/docs/guides/function-calling

type Schema = Readonly<Record<string, unknown>>;

const combined = ['$ref', 'anyOf', 'oneOf', 'allOf'];

export function functionParameters(parameters: Schema): Schema {
  if (combined.some((word) => parameters[word] !== undefined)) return parameters;
  if (parameters['type'] === 'object' && parameters['properties'] !== undefined) return parameters;
  return { type: 'object', ...parameters, properties: parameters['properties'] ?? {} };
}
