// Claude's Messages as a format that providers speak.
import type { UpstreamDialect } from '../upstream-dialect.ts';
import { createStreamReader, readError, readWhole } from './read-response.ts';
import { isInvalidUsage } from './token-usage.ts';
import { writeRequest } from './write-request.ts';

export const claudeUpstream: UpstreamDialect = { name: 'claude', writeRequest, readWhole, isInvalidUsage, createStreamReader, readError };
