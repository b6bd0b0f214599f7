// The calls that a running server mounts, with what they take, read from its own OpenAPI document.
import type { OrganisationRight } from '#shared/organisation-roles.ts';
import type { TestApp } from '#tests/support/test-app.ts';

export interface Property {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Property>;
  items?: Property;
  minimum?: number;
  maxLength?: number;
  anyOf?: Property[];
}

export interface MountedCall {
  /** `GET /api/token/{id}` */
  name: string;
  /** Query parameters by name. */
  query: Record<string, Property>;
  /** Null: the call takes no body. */
  body: Property | null;
  /** Right that a call on behalf of an organisation needs. Undefined: there is no such call. */
  right: OrganisationRight | undefined;
}

interface Operation {
  parameters: { name: string; in: 'path' | 'query' | 'header'; schema: Property; 'x-right'?: OrganisationRight }[];
  requestBody?: { content: { 'application/json'?: { schema: Property } } };
}

export async function mountedCalls(app: TestApp): Promise<Map<string, MountedCall>> {
  const { body } = await app.anonymous().get('/api/openapi.json');
  const { paths } = body as { paths: Record<string, Record<string, Operation>> };
  const calls = new Map<string, MountedCall>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      const query = Object.fromEntries(operation.parameters.filter((one) => one.in === 'query').map((one) => [one.name, one.schema]));
      const right = operation.parameters.find((one) => one.in === 'header')?.['x-right'];
      calls.set(name, { name, query, body: operation.requestBody?.content['application/json']?.schema ?? null, right });
    }
  }
  return calls;
}
