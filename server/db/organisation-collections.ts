// Part of `collections.ts`: organisations, their members, teams, invitations and transfers.

export const organisationCollections = {
  organisations: {
    idBlock: 1,
    indexes: [
      { name: 'scim', fields: ['scim_hash'], unique: true, sparse: true },
      { name: 'foundation', fields: ['found_ref'], unique: true },
      { name: 'founder', fields: ['founded_by', 'DeletedAt'] },
    ],
  },
  organisation_members: {
    idBlock: 1,
    indexes: [
      { name: 'member', fields: ['organisation_id', 'user_id'], unique: true },
      { name: 'person', fields: ['user_id', 'id'] },
      { name: 'team', fields: ['team_id', 'id'] },
      { name: 'scim_key', fields: ['scim_key'], unique: true, sparse: true },
      { name: 'external_id', fields: ['external_id'], sparse: true },
    ],
  },
  organisation_leavers: { textIds: true, idBlock: 1, indexes: [{ name: 'organisation', fields: ['organisation_id'] }] },
  teams: { idBlock: 1, indexes: [{ name: 'organisation', fields: ['organisation_id', 'name'], unique: true }] },
  organisation_invites: {
    idBlock: 1,
    indexes: [
      { name: 'organisation', fields: ['organisation_id', 'id'] },
      { name: 'token', fields: ['token_hash'], unique: true },
      { name: 'expiry', fields: ['expires_at'] },
    ],
  },
  organisation_transfers: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'due', fields: ['due_at'], sparse: true },
      { name: 'time', fields: ['created_at'] },
    ],
  },
} as const;
