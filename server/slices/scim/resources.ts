// Resources as RFC 7643 has them, and what the server says of itself (RFC 7644, 4).
import type { TeamRecord } from '#server/db/records/organisation.ts';
import type { ScimPerson } from './people.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const messages = 'urn:ietf:params:scim:api:messages:2.0';
export const listSchema = `${messages}:ListResponse`;
export const errorSchema = `${messages}:Error`;
/** Resources of one page. */
export const mostListed = 200;

export function presentPerson({ member, user }: ScimPerson, team: TeamRecord | undefined, base: string): Record<string, unknown> {
  const name = user.display_name === '' ? user.username : user.display_name;
  return {
    schemas: [userSchema],
    id: String(user.id),
    ...(member.external_id === undefined ? {} : { externalId: member.external_id }),
    userName: member.scim_name ?? user.email,
    name: { formatted: name },
    displayName: name,
    emails: [{ value: user.email, type: 'work', primary: true }],
    active: member.suspended !== true,
    ...(team === undefined
      ? {}
      : { groups: [{ value: String(team.id), display: team.name, $ref: `${base}/Groups/${team.id}`, type: 'direct' }] }),
    meta: metaOf('User', `${base}/Users/${user.id}`, member.joined_at),
  };
}

export function presentGroup(team: TeamRecord, people: readonly ScimPerson[] | undefined, base: string): Record<string, unknown> {
  return {
    schemas: [groupSchema],
    id: String(team.id),
    ...(team.external_id === undefined ? {} : { externalId: team.external_id }),
    displayName: team.name,
    ...(people === undefined
      ? {}
      : {
          members: people.map(({ user }) => ({
            value: String(user.id),
            display: user.display_name === '' ? user.username : user.display_name,
            $ref: `${base}/Users/${user.id}`,
            type: 'User',
          })),
        }),
    meta: metaOf('Group', `${base}/Groups/${team.id}`, team.created_time),
  };
}

export function listOf(resources: readonly unknown[], total = resources.length, startIndex = 1): Record<string, unknown> {
  return { schemas: [listSchema], totalResults: total, startIndex, itemsPerPage: resources.length, Resources: resources };
}

export function configOf(base: string): Record<string, unknown> {
  const unsupported = { supported: false };
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { ...unsupported, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: mostListed },
    changePassword: unsupported,
    sort: unsupported,
    etag: unsupported,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Token of the organisation',
        description: 'Bearer token that an owner of the organisation creates',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypesOf(base: string): Record<string, unknown>[] {
  return [
    { name: 'User', description: 'Member of the organisation', endpoint: '/Users', schema: userSchema },
    { name: 'Group', description: 'Team of the organisation', endpoint: '/Groups', schema: groupSchema },
  ].map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: type.name,
    ...type,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }));
}

export function schemasOf(base: string): Record<string, unknown>[] {
  return [
    { id: userSchema, name: 'User', description: 'Member of the organisation', attributes: userAttributes },
    { id: groupSchema, name: 'Group', description: 'Team of the organisation', attributes: groupAttributes },
  ].map((schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));
}

interface Traits {
  type?: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued?: boolean;
  required?: boolean;
  caseExact?: boolean;
  mutability?: 'readWrite' | 'readOnly' | 'immutable';
  uniqueness?: 'none' | 'server';
  subAttributes?: Record<string, unknown>[];
  referenceTypes?: string[];
  canonicalValues?: string[];
}

function attribute(name: string, description: string, traits: Traits = {}): Record<string, unknown> {
  const { type = 'string' } = traits;
  return {
    name,
    description,
    type,
    multiValued: false,
    required: false,
    mutability: 'readWrite',
    returned: 'default',
    ...(type === 'string' || type === 'reference' ? { caseExact: false, uniqueness: 'none' } : {}),
    ...traits,
  };
}

const readOnly = { mutability: 'readOnly' } as const;
/** The name and the address of an account belong to its person: they are taken when an account is created. */
const taken = 'Taken when an account is created; afterwards the person decides';

const userAttributes = [
  attribute('userName', 'Name at the client; an address in a domain of the organisation if there are no emails', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('name', taken, {
    type: 'complex',
    ...readOnly,
    subAttributes: [attribute('formatted', taken, readOnly)],
  }),
  attribute('displayName', taken, readOnly),
  attribute('emails', taken, {
    type: 'complex',
    multiValued: true,
    ...readOnly,
    subAttributes: [
      attribute('value', 'Address', readOnly),
      attribute('type', 'Always work', readOnly),
      attribute('primary', 'Always true', { type: 'boolean', ...readOnly }),
    ],
  }),
  attribute('active', 'Whether the member may act: without it, the keys of the member stop', { type: 'boolean' }),
  attribute('groups', 'Team of the member', {
    type: 'complex',
    multiValued: true,
    ...readOnly,
    subAttributes: [
      attribute('value', 'Id of the team', readOnly),
      attribute('$ref', 'Address of the team', { type: 'reference', referenceTypes: ['Group'], ...readOnly }),
      attribute('display', 'Name of the team', readOnly),
      attribute('type', 'Always direct', readOnly),
    ],
  }),
];

const groupAttributes = [
  attribute('displayName', 'Name of the team', { required: true, uniqueness: 'server' }),
  attribute('members', 'Members of the team; a person is in one team', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user', { mutability: 'immutable' }),
      attribute('$ref', 'Address of the user', { type: 'reference', referenceTypes: ['User'], mutability: 'immutable' }),
      attribute('display', 'Name of the user', readOnly),
      attribute('type', 'Always User', { mutability: 'immutable', canonicalValues: ['User'] }),
    ],
  }),
];

/** @param created Unix seconds */
function metaOf(resourceType: string, location: string, created: number): Record<string, unknown> {
  const time = new Date(created * 1000).toISOString();
  return { resourceType, created: time, lastModified: time, location };
}
