// OpenAPI document of the console's API, generated from the mounted contracts.
import { z } from 'zod';
import type { Access, Endpoint } from '#shared/contract.ts';
import { errors } from '#shared/errors.ts';
import type { RouteHost } from '#server/http/mount.ts';

type Json = Record<string, unknown>;

/** GET /api/openapi.json */
export function mountOpenApi(host: RouteHost): void {
  let document: { count: number; text: string } | null = null;
  host.add('GET', '/api/openapi.json', (request, _params, connection) => {
    // Generated on first use, when everything is mounted.
    if (document?.count !== host.endpoints.length) {
      document = { count: host.endpoints.length, text: JSON.stringify(describeApi(host.endpoints, host.context.env.BASE_PATH)) };
    }
    return new Response(document.text, {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-oneapi-request-id': host.facts(request, connection).requestId,
      },
    });
  });
}

function describeApi(endpoints: readonly Endpoint[], basePath: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tidegate console API', version: '1' },
    ...(basePath === '' ? {} : { servers: [{ url: basePath }] }),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        accessToken: { type: 'apiKey', in: 'header', name: 'Authorization' },
        userId: { type: 'apiKey', in: 'header', name: 'New-Api-User', description: 'Id of the signed-in user' },
      },
      schemas: { Failure: failure },
    },
  };
}

const failure: Json = {
  type: 'object',
  properties: {
    success: { const: false },
    message: { type: 'string', description: "In the caller's language" },
    code: { enum: Object.keys(errors) },
    field: { type: 'string', description: 'The input at fault' },
    data: { description: 'The current record on `revision_conflict`' },
  },
  required: ['success', 'message', 'code'],
};
const failureRef = { description: 'Refused', content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } } };

const security: Record<Access, Json[] | undefined> = {
  public: undefined,
  optional: [{}, { session: [] }],
  user: signedIn(),
  admin: signedIn(),
  root: signedIn(),
};

function signedIn(): Json[] {
  return [
    { session: [], userId: [] },
    { accessToken: [], userId: [] },
  ];
}

function operation(endpoint: Endpoint): Json {
  const [, , slice = 'api'] = endpoint.path.split('/');
  const rights = security[endpoint.access];
  return {
    tags: [slice],
    ...(endpoint.summary === undefined ? {} : { summary: endpoint.summary }),
    ...(endpoint.access === 'admin' || endpoint.access === 'root' ? { description: `Needs the role ${endpoint.access}.` } : {}),
    parameters: [...parameters(endpoint.params, 'path'), ...parameters(endpoint.query, 'query'), ...onBehalf(endpoint)],
    ...(endpoint.takesBytes === true ? { requestBody: { required: true, content: { 'application/octet-stream': {} } } } : {}),
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } } } }),
    responses: {
      200: {
        description: 'Done, or refused for a reason of the business (`success` tells which)',
        content: { 'application/json': { schema: { anyOf: [success(endpoint), { $ref: '#/components/schemas/Failure' }] } } },
      },
      ...(endpoint.access === 'public' || endpoint.access === 'optional' ? {} : { 401: failureRef, 403: failureRef }),
      '4XX': failureRef,
      '5XX': failureRef,
    },
    ...(rights === undefined ? {} : { security: rights }),
  };
}

/** The header with which members call on behalf of an organisation, and the right that they need. */
function onBehalf({ organisation: right }: Endpoint): Json[] {
  if (right === undefined) return [];
  const schema = { type: 'string', pattern: '^org-\\d{1,15}$' };
  return [
    {
      name: 'OpenAI-Organization',
      in: 'header',
      description: `Organisation to call for; needs the right ${right}`,
      schema,
      'x-right': right,
    },
  ];
}

function success(endpoint: Endpoint): Json {
  const extra = endpoint.extra === undefined ? {} : objectProperties(schemaOf(endpoint.extra, 'output'));
  return {
    type: 'object',
    properties: {
      success: { const: true },
      message: { type: 'string' },
      ...(endpoint.reply === undefined ? {} : { data: schemaOf(endpoint.reply, 'output') }),
      ...extra,
    },
    required: ['success', 'message', ...(endpoint.reply === undefined ? [] : ['data'])],
  };
}

function parameters(schema: z.core.$ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const json = schemaOf(schema, 'input');
  const required: unknown[] = Array.isArray(json.required) ? json.required : [];
  return Object.entries(objectProperties(json)).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

function objectProperties(json: Json): Json {
  return typeof json.properties === 'object' && json.properties !== null ? { ...json.properties } : {};
}

/** Types that JSON Schema cannot express (a transform's result) are left open. */
function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  const { $schema: _version, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return json;
}
