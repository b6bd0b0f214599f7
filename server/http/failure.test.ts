import { expect, it } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { toAppError } from './failure.ts';

function reported(failure: unknown): { code: string; lines: string[] } {
  const lines: string[] = [];
  const note = (level: string) => (facts: object) => lines.push(`${level} ${'requestId' in facts ? String(facts.requestId) : ''}`);
  // Implements only the logger methods that are used.
  const log = Object.assign(Object.create(null), { warn: note('warn'), error: note('error') });
  const { code } = toAppError(failure, { log }, 'r1');
  return { code, lines };
}

it('an internal error leaves one line in the log, whoever threw it', () => {
  expect(reported(new TypeError('of ours'))).toEqual({ code: 'internal_error', lines: ['error r1'] });
  expect(reported(new AppError('internal_error'))).toEqual({ code: 'internal_error', lines: ['error r1'] });
  const lines: string[] = [];
  const log = Object.assign(Object.create(null), { error: () => lines.push('error') });
  const error = toAppError(new TypeError('of ours'), { log }, 'r1');
  expect(toAppError(error, { log }, 'r1')).toBe(error);
  expect(lines).toEqual(['error']);
});

it('a refusal leaves none, and a database that is away a warning', () => {
  expect(reported(new AppError('not_found'))).toEqual({ code: 'not_found', lines: [] });
  expect(reported(new DatabaseUnavailable('away'))).toEqual({ code: 'database_unavailable', lines: ['warn r1'] });
});
