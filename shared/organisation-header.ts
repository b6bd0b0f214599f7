// Apart from the contracts, which the sign-in does not load.

/** Header of calls on behalf of an organisation: `org-<id>`. */
export const organisationHeader = 'openai-organization';
