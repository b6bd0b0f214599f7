// JSON Schemas as callers of any vendor write them → such as every vendor takes, before a request goes to another format. Google's tools
// write types in capitals, `nullable`, and counts as texts; old ones have bounds that are yes or no; generated ones have bounds that no
// number holds. What is plain already stays the same object.
import type { ChatRequest } from './parts.ts';
import { mapSchemas, unchanged } from './schema-parts.ts';
import type { Schema } from './schema-parts.ts';

/** Whole numbers. Google's packages write numbers of 64 bits as texts. */
const counts: ReadonlySet<string> = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);
const bounds: ReadonlySet<string> = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']);

/** A request whose schemas any vendor understands. */
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
  // Where nothing may be null otherwise, `nullable` says it of the one type.
  if (schema['nullable'] === true && typeof plain['type'] === 'string') plain['type'] = [plain['type'], 'null'];
  return plain;
}

/** Undefined: the word is left out. */
function plainWord(word: string, value: unknown, schema: Schema): unknown {
  if (word === 'type') return plainType(value);
  if (word === 'nullable') return typeof value === 'boolean' ? undefined : value;
  if (counts.has(word)) return plainCount(value);
  if (bounds.has(word)) return plainBound(word, value, schema);
  return value;
}

/** `STRING`, and what Google writes where nothing is said. */
function plainType(type: unknown): unknown {
  if (Array.isArray(type)) return unchanged(type, plainType);
  if (typeof type !== 'string') return type;
  return type === 'TYPE_UNSPECIFIED' ? undefined : type.toLowerCase();
}

/** A count that no list or text reaches bounds nothing. */
function plainCount(value: unknown): unknown {
  const count = typeof value === 'string' && /^\d{1,20}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && !Number.isSafeInteger(count) ? undefined : count;
}

/** `exclusiveMinimum: true`, as before 2016, is about `minimum`; a number beyond all numbers bounds nothing. */
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
