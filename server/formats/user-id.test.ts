import { describe, expect, test } from 'vitest';
import { claudeUserId, openaiUserId } from './user-id.ts';

describe('user ids for another format', () => {
  test.each(['u1', 'x'.repeat(64)])('%s is unchanged', (id) => {
    expect(openaiUserId(id)).toBe(id);
    expect(claudeUserId(id)).toBe(id);
  });

  test('an id too long for OpenAI becomes a short one, always the same', () => {
    const long = JSON.stringify({ device_id: 'd'.repeat(64), session_id: 's1' });
    expect(openaiUserId(long)).toMatch(/^[0-9a-f]{64}$/);
    expect(openaiUserId(long)).toBe(openaiUserId(long));
    expect(openaiUserId(long)).not.toBe(openaiUserId(`${long} `));
  });

  test('an id that Claude rejects becomes a valid one, always the same', () => {
    for (const id of ['high@tides.example', 'x'.repeat(257), '+49 40 428470', 'a b']) {
      expect(claudeUserId(id)).toMatch(/^[0-9a-f]{64}$/);
      expect(claudeUserId(id)).toBe(claudeUserId(id));
    }
    expect(claudeUserId('x'.repeat(256))).toBe('x'.repeat(256));
  });
});
