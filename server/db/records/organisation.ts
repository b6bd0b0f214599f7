import type { OrganisationRole } from '#shared/organisation-roles.ts';

/** An organisation; its id is that of its account in `users`, which holds its wallet, limits and budgets. */
export interface OrganisationRecord {
  id: number;
  name: string;
  /** JSON text of an `AccessPolicy`, or empty. */
  policy: string;
  /** Mail domains whose members join by themselves, comma-separated. */
  domains: string;
  domain_role: OrganisationRole;
  /** Keyed hash of the token for SCIM; undefined if there is none. */
  scim_hash?: string;
  /** Unix seconds at which that token was created. */
  scim_since?: number;
  /** Owner who created it: it is valid while they are one. Undefined for tokens of earlier versions. */
  scim_by?: number;
  founded_by: number;
  /** Owner who deleted it, and gets what it is credited afterwards. */
  ended_by?: number;
  /** Reference of its foundation, with the founder's id: a repetition founds no second one. */
  found_ref: string;
  /** Unix seconds. */
  created_time: number;
  DeletedAt: string | null;
  revision: number;
  audited?: string;
}

export interface OrganisationMemberRecord {
  id: number;
  organisation_id: number;
  user_id: number;
  role: OrganisationRole;
  /** 0 for none. */
  team_id: number;
  /** Undefined while the member is active. */
  suspended?: true;
  source: 'invite' | 'domain' | 'scim' | 'founder';
  invited_by: number;
  /** Address of the invitation; undefined without one. Proves nothing: any account with the link can join. */
  invited_email?: string;
  /** Unix seconds. */
  joined_at: number;
  /** Of the calls of this member's tokens in the organisation (`accounts/stored-limits.ts`). */
  rate_limits?: string;
  budgets?: string;
  /** Id and name at the client of SCIM, and the organisation's id with that name in lower case: `5:mary@example.com`. */
  external_id?: string;
  scim_name?: string;
  scim_key?: string;
  revision: number;
  audited?: string;
}

/** A person who has left an organisation, or was removed: a sign-in does not make them a member again. */
export interface OrganisationLeaverRecord {
  /** Ids of the organisation and the person: `5:7`. */
  id: string;
  organisation_id: number;
}

export interface TeamRecord {
  id: number;
  organisation_id: number;
  name: string;
  /** JSON text of an `AccessPolicy`, or empty. */
  policy: string;
  /** Of the calls of the team's tokens together. */
  rate_limits?: string;
  budgets?: string;
  external_id?: string;
  /** Unix seconds. */
  created_time: number;
  revision: number;
  audited?: string;
}

/** An open invitation; removed when it is accepted, withdrawn or expired. */
export interface OrganisationInviteRecord {
  id: number;
  organisation_id: number;
  /** In lower case; empty for a link. */
  email: string;
  role: OrganisationRole;
  team_id: number;
  /** Keyed hash of the link's secret. */
  token_hash: string;
  created_by: number;
  /** Unix seconds. */
  created_at: number;
  expires_at: number;
  mail: 'none' | 'sent' | 'failed';
  /** Of the member that it makes (`accounts/stored-limits.ts`). */
  rate_limits?: string;
  budgets?: string;
  revision: number;
  audited?: string;
}

/** Quota on its way between a person and an organisation. */
export interface OrganisationTransferRecord {
  /** Actor, receiver and the reference of the request. */
  id: string;
  from_id: number;
  to_id: number;
  /** Quota. */
  amount: number;
  actor_id: number;
  /** Milliseconds. */
  created_at: number;
  /** Milliseconds since which it is due; undefined once it is done. */
  due_at?: number;
}
