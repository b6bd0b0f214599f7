// Organisations: accounts that several people use. The wallet, the tokens, the log and the statements of an organisation are those of an account (`users`)
// without a sign-in; members reach it by their role. Calls on its behalf carry the header `OpenAI-Organization`.
import { z } from 'zod/mini';
import { AccessPolicy } from '#shared/access-policy.ts';
import { Budgets } from '#shared/budgets.ts';
import { endpoint } from '#shared/contract.ts';
import { health } from '#shared/organisation-health.ts';
import { limitFields, memberLimitFields } from '#shared/organisation-limits.ts';
import { organisationRoles } from '#shared/organisation-roles.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QueryInt, QueryText } from '#shared/query-values.ts';
import { RateLimits } from '#shared/rate-limits.ts';
import { quotaLimit } from '#shared/user.ts';

export const mostMembers = 10_000;
/** Members that one call edits. */
export const mostEditedMembers = 200;
export const mostTeams = 200;
export const mostOpenInvites = 500;
/** Days after which an invitation ends. */
export const inviteDays = 14;

const Id = z.string().check(z.regex(/^\d{1,15}$/));
const OrganisationParam = z.object({ id: Id });
const Name = z.string().check(z.minLength(1), z.maxLength(60));
const Role = z.enum(organisationRoles);

export const Organisation = z.object({
  id: z.int(),
  name: z.string(),
  /** Role of the reader; absent for an administrator of the site who is no member. */
  role: z.optional(Role),
  members: z.int(),
  tokens: z.int(),
  /** Quota; only for those who read its usage. */
  quota: z.optional(z.int()),
  used_quota: z.optional(z.int()),
  /** Balance right after the last credit. */
  full_mark: z.optional(z.int()),
  /** Group of the account. */
  group: z.string(),
  created_time: z.int(),
  policy: AccessPolicy,
  rate_limits: RateLimits,
  budgets: Budgets,
  /** Mail domains whose OIDC sign-ins join by themselves, set by administrators of the site; and the role that they get. */
  domains: z.array(z.string()),
  domain_role: Role,
  ...health,
  status: z.int(),
  revision: z.int(),
});
export type Organisation = z.infer<typeof Organisation>;

export const Member = z.object({
  user_id: z.int(),
  username: z.string(),
  display_name: z.string(),
  email: z.string(),
  role: Role,
  /** 0: none. */
  team_id: z.int(),
  is_suspended: z.boolean(),
  /** Provisioned by SCIM or a domain: they are changed there. */
  source: z.enum(['invite', 'domain', 'scim', 'founder']),
  /** Address of the invitation, which the member need not have; only for those who manage. */
  invited_email: z.optional(z.string()),
  joined_at: z.int(),
  tokens: z.int(),
  /** Quota of this calendar month (UTC), its calls, and limits; of other members only for those who read usage. */
  used_quota: z.optional(z.int()),
  calls: z.optional(z.int()),
  ...limitFields,
  revision: z.int(),
});
export type Member = z.infer<typeof Member>;

export const Team = z.object({
  id: z.int(),
  name: z.string(),
  members: z.int(),
  tokens: z.int(),
  used_quota: z.optional(z.int()),
  calls: z.optional(z.int()),
  policy: AccessPolicy,
  rate_limits: RateLimits,
  budgets: Budgets,
  revision: z.int(),
});
export type Team = z.infer<typeof Team>;

export const OrganisationInvite = z.object({
  id: z.int(),
  /** Empty for a link. */
  email: z.string(),
  role: Role,
  team_id: z.int(),
  created_at: z.int(),
  expires_at: z.int(),
  mail: z.enum(['none', 'sent', 'failed']),
  /** Of the member that it makes. */
  rate_limits: RateLimits,
  budgets: Budgets,
});
export type OrganisationInvite = z.infer<typeof OrganisationInvite>;

/** Usage of a part of an organisation. */
export const UsagePart = z.object({
  /** Number of the member, team or token, or the model's name; '0': service accounts. */
  id: z.string(),
  name: z.string(),
  calls: z.int(),
  tokens: z.int(),
  quota: z.int(),
});
export type UsagePart = z.infer<typeof UsagePart>;

const MemberParam = z.object({ id: Id, user: Id });
const Ref = z.string().check(z.regex(/^[\w-]{8,64}$/));
const audit = (action: 'created' | 'changed' | 'deleted') => ({ kind: 'organisation', action }) as const;

export const organisationApi = {
  /** Of the caller. */
  list: endpoint('GET', '/api/organisation/', {
    access: 'user',
    reply: z.array(Organisation),
    summary: 'Organisations of which the caller is a member',
  }),
  listAll: endpoint('GET', '/api/organisation/all', {
    access: 'admin',
    query: z.extend(PageQuery, { keyword: QueryText }),
    reply: pageOf(Organisation),
    summary: 'All organisations of the site',
  }),
  create: endpoint('POST', '/api/organisation/', {
    access: 'user',
    audit: audit('created'),
    body: z.object({ name: Name, ref: Ref }),
    reply: Organisation,
    summary: 'Found an organisation',
  }),
  read: endpoint('GET', '/api/organisation/:id', {
    access: 'user',
    params: OrganisationParam,
    reply: Organisation,
    summary: 'An organisation',
  }),
  edit: endpoint('PUT', '/api/organisation/:id', {
    access: 'user',
    audit: audit('changed'),
    params: OrganisationParam,
    body: z.object({
      name: z.optional(Name),
      policy: z.optional(AccessPolicy),
      ...limitFields,
      revision: z.optional(z.int()),
    }),
    reply: Organisation,
    summary: 'Change an organisation',
  }),
  /** What administrators of the site decide: group, status, mail domains. */
  manage: endpoint('PUT', '/api/organisation/:id/manage', {
    access: 'admin',
    audit: audit('changed'),
    params: OrganisationParam,
    body: z.object({
      group: z.optional(z.string().check(z.maxLength(64))),
      status: z.optional(z.int().check(z.minimum(1), z.maximum(2))),
      domains: z.optional(z.array(z.string().check(z.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/), z.maxLength(253))).check(z.maxLength(20))),
      domain_role: z.optional(z.enum(['developer', 'billing', 'reader'])),
      /** User who becomes an owner, in addition to those there are. */
      owner_id: z.optional(z.int().check(z.minimum(1))),
    }),
    reply: Organisation,
    summary: 'Group, status and mail domains of an organisation',
  }),
  /** Its tokens end at once; its balance must have been moved before. */
  remove: endpoint('DELETE', '/api/organisation/:id', {
    access: 'user',
    audit: audit('deleted'),
    params: OrganisationParam,
    summary: 'Delete an organisation',
  }),
  /** Between the caller's balance and the organisation's. */
  fund: endpoint('POST', '/api/organisation/:id/fund', {
    access: 'user',
    audit: { exempt: 'books' },
    params: OrganisationParam,
    body: z.object({
      amount: z.int().check(z.minimum(1), z.maximum(quotaLimit)),
      /** `out`: back to the caller, who is an owner. */
      direction: z.optional(z.enum(['in', 'out'])),
      ref: Ref,
    }),
    reply: Organisation,
    summary: "Move quota from the caller's balance to the organisation's",
  }),

  members: endpoint('GET', '/api/organisation/:id/members', {
    access: 'user',
    params: OrganisationParam,
    query: z.extend(PageQuery, { keyword: QueryText }),
    reply: pageOf(Member),
    summary: 'Members of an organisation',
  }),
  editMember: endpoint('PUT', '/api/organisation/:id/members/:user', {
    access: 'user',
    audit: audit('changed'),
    params: MemberParam,
    body: z.object({
      role: z.optional(Role),
      team_id: z.optional(z.int().check(z.minimum(0))),
      is_suspended: z.optional(z.boolean()),
      ...memberLimitFields,
      revision: z.optional(z.int()),
    }),
    reply: Member,
    summary: 'Role, team and limits of a member',
  }),
  /** The same change of several members; refused for all if it is refused for one. Absent fields stay as they are. */
  editMembers: endpoint('PUT', '/api/organisation/:id/members', {
    access: 'user',
    audit: audit('changed'),
    params: OrganisationParam,
    body: z.object({
      user_ids: z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(mostEditedMembers)),
      role: z.optional(Role),
      team_id: z.optional(z.int().check(z.minimum(0))),
      is_suspended: z.optional(z.boolean()),
      ...memberLimitFields,
    }),
    reply: z.array(Member),
    summary: 'Role, team and limits of several members',
  }),
  /** The caller, or a member. The keys go to the member `hand_over_to`, or to service accounts (0). The former member knows them: `disable` disables them. */
  removeMember: endpoint('DELETE', '/api/organisation/:id/members/:user', {
    access: 'user',
    audit: audit('changed'),
    params: MemberParam,
    query: z.object({ hand_over_to: QueryText, keys: z.optional(z.enum(['disable', 'keep'])) }),
    summary: 'Remove a member, or leave',
  }),

  invites: endpoint('GET', '/api/organisation/:id/invites', {
    access: 'user',
    params: OrganisationParam,
    reply: z.array(OrganisationInvite),
    summary: 'Open invitations of an organisation',
  }),
  /** Without mail addresses, the reply has a link for one person; with `delivery: 'link'`, one for each address. Budgets and rate limits become the members'. */
  invite: endpoint('POST', '/api/organisation/:id/invites', {
    access: 'user',
    audit: audit('changed'),
    params: OrganisationParam,
    body: z.object({
      emails: z.array(z.string().check(z.minLength(3), z.maxLength(254))).check(z.maxLength(100)),
      delivery: z.optional(z.enum(['mail', 'link'])),
      role: Role,
      team_id: z.optional(z.int().check(z.minimum(0))),
      ...memberLimitFields,
    }),
    reply: z.object({
      invites: z.array(OrganisationInvite),
      link: z.optional(z.string()),
      links: z.optional(z.array(z.object({ email: z.string(), link: z.string() }))),
    }),
    summary: 'Invite people by mail, or by a link',
  }),
  withdraw: endpoint('DELETE', '/api/organisation/:id/invites/:invite', {
    access: 'user',
    audit: audit('changed'),
    params: z.object({ id: Id, invite: Id }),
    summary: 'Withdraw an invitation',
  }),
  /** What a person who has followed a link sees. */
  openInvite: endpoint('POST', '/api/organisation/invite/open', {
    access: 'user',
    audit: { exempt: 'reads' },
    body: z.object({ token: z.string().check(z.maxLength(100)) }),
    reply: z.object({ organisation: z.string(), inviter: z.string(), role: Role, expires_at: z.int() }),
    summary: 'The organisation of an invitation',
  }),
  join: endpoint('POST', '/api/organisation/invite/accept', {
    access: 'user',
    audit: audit('changed'),
    body: z.object({ token: z.string().check(z.maxLength(100)) }),
    reply: Organisation,
    summary: 'Join an organisation by its invitation',
  }),

  teams: endpoint('GET', '/api/organisation/:id/teams', {
    access: 'user',
    params: OrganisationParam,
    reply: z.array(Team),
    summary: 'Teams of an organisation',
  }),
  createTeam: endpoint('POST', '/api/organisation/:id/teams', {
    access: 'user',
    audit: audit('changed'),
    params: OrganisationParam,
    body: z.object({ name: Name, policy: z.optional(AccessPolicy), ...limitFields }),
    reply: Team,
    summary: 'Create a team',
  }),
  editTeam: endpoint('PUT', '/api/organisation/:id/teams/:team', {
    access: 'user',
    audit: audit('changed'),
    params: z.object({ id: Id, team: Id }),
    body: z.object({ name: z.optional(Name), policy: z.optional(AccessPolicy), ...limitFields, revision: z.optional(z.int()) }),
    reply: Team,
    summary: 'Change a team',
  }),
  removeTeam: endpoint('DELETE', '/api/organisation/:id/teams/:team', {
    access: 'user',
    audit: audit('changed'),
    params: z.object({ id: Id, team: Id }),
    summary: 'Delete a team; its members stay in the organisation',
  }),

  /** At most a year. A developer gets the own part. */
  usage: endpoint('GET', '/api/organisation/:id/usage', {
    access: 'user',
    params: OrganisationParam,
    query: z.object({
      by: z.enum(['member', 'team', 'token', 'model']),
      /** Of the tokens of a member (0: of service accounts), and of those of a team. */
      member_id: QueryInt,
      team_id: QueryInt,
      start_timestamp: QueryInt,
      end_timestamp: QueryInt,
    }),
    reply: z.array(UsagePart),
    summary: 'Usage of an organisation by member, team, token or model',
  }),

  /** The reply has the token, which is not shown again. */
  newScimToken: endpoint('POST', '/api/organisation/:id/scim_token', {
    access: 'user',
    audit: audit('changed'),
    params: OrganisationParam,
    reply: z.object({ token: z.string() }),
    summary: 'Create a token for SCIM, in place of the former one',
  }),
  endScimToken: endpoint('DELETE', '/api/organisation/:id/scim_token', {
    access: 'user',
    audit: audit('changed'),
    params: OrganisationParam,
    summary: 'End the token for SCIM',
  }),
};
