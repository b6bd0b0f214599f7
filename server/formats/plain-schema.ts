// Normalizes JSON Schemas to keywords that every vendor accepts, before a request is translated. Google's tools have types in
// upper case, `nullable` and counts as strings; old schemas have boolean bounds, generated ones infinite bounds. A schema
// that needs no change is returned as the same object.
import type { ChatRequest } from './parts.ts';
import { mapSchemas, type Schema, unchanged } from './schema-parts.ts';

/** Keywords with integers, which Google's packages write as strings. */
const counts: ReadonlySet<string> = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);
const bounds: ReadonlySet<string> = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']);

/** Returns a request whose schemas any vendor accepts. */
export function withPlainSchemas(request: ChatRequest): ChatRequest {
  const tools = unchanged(request.tools, (tool) => {
    const parameters = plainSchema(tool.parameters);
    return parameters === tool.parameters ? tool : { ...tool, parameters };
  });
  const { responseFormat: format } = request;
  const schema = format?.kind === 'schema' ? plainSchema(format.schema) : undefined;
  if (format?.kind === 'schema' && schema !== undefined && schema !== format.schema)
    return { ...request, tools, responseFormat: { ...format, schema } };
  return tools === request.tools ? request : { ...request, tools };
}

export function plainSchema(schema: Schema): Schema {
  return mapSchemas(schema, plainWords);
}

function plainWords(schema: Schema): Schema {
  const plain: Record<string, unknown> = {};
  let isSame = true;
  for (const [word, value] of Object.entries(schema)) {
    const written = plainWord(word, value, schema);
    if (written !== value) isSame = false;
    if (written !== undefined) plain[word] = written;
  }
  if (isSame) return schema;
  // `nullable` applies to a single type only; a union contains `null` itself.
  if (schema['nullable'] === true && typeof plain['type'] === 'string') plain['type'] = [plain['type'], 'null'];
  return plain;
}

/** Normalizes the value of a keyword; undefined drops the keyword. */
function plainWord(word: string, value: unknown, schema: Schema): unknown {
  if (word === 'type') return plainType(value);
  if (word === 'nullable') return typeof value === 'boolean' ? undefined : value;
  if (counts.has(word)) return plainCount(value);
  if (bounds.has(word)) return plainBound(word, value, schema);
  return value;
}

/** Normalizes a type such as `STRING`; drops Google's placeholder for an absent type. */
function plainType(type: unknown): unknown {
  if (Array.isArray(type)) return unchanged(type, plainType);
  if (typeof type !== 'string') return type;
  return type === 'TYPE_UNSPECIFIED' ? undefined : type.toLowerCase();
}

/** Normalizes a count; drops counts that no list or text can reach. */
function plainCount(value: unknown): unknown {
  const count = typeof value === 'string' && /^\d{1,20}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && !Number.isSafeInteger(count) ? undefined : count;
}

/** `exclusiveMinimum: true` (before 2016) modifies `minimum`; infinite bounds are dropped. */
function plainBound(word: string, value: unknown, schema: Schema): unknown {
  if (typeof value === 'number') {
    const isExclusive =
      (word === 'minimum' && schema['exclusiveMinimum'] === true) || (word === 'maximum' && schema['exclusiveMaximum'] === true);
    return isExclusive || !Number.isFinite(value) ? undefined : value;
  }
  if (typeof value !== 'boolean') return value;
  const bound = value ? schema[word === 'exclusiveMinimum' ? 'minimum' : 'maximum'] : undefined;
  return typeof bound === 'number' && Number.isFinite(bound) ? bound : undefined;
}
