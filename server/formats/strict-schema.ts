// Recognizes schemas that OpenAI accepts in strict mode. Others are sent without strict mode, as a hint. Source:
// platform.openai.com/docs/guides/structured-outputs, "Supported schemas".
import { isObject } from '#server/framing/loose-json.ts';

const refused = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'prefixItems',
];

/** Reports whether every object in the schema requires all of its properties and allows no others. */
export function isStrictSchema(schema: unknown): boolean {
  if (!isObject(schema)) return schema !== true;
  if (refused.some((keyword) => schema[keyword] !== undefined)) return false;
  const { properties, required, additionalProperties, items, anyOf, $defs, definitions, type } = schema;
  const isOfObjects = properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (isOfObjects) {
    if (additionalProperties !== false || !isObject(properties)) return false;
    const named = new Set(Array.isArray(required) ? required : []);
    if (!Object.keys(properties).every((name) => named.has(name))) return false;
  }
  const within = [
    ...valuesOf(properties),
    ...valuesOf($defs),
    ...valuesOf(definitions),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ];
  return within.every(isStrictSchema);
}

function valuesOf(map: unknown): unknown[] {
  return isObject(map) ? Object.values(map) : [];
}
