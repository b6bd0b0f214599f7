import { describe, expect, it } from 'vitest';
import { defaultOf, isChanged } from './default-values.ts';

const option = (key: string, value: string, more: object = {}) => ({ key, value, revision: 1, ...more });

describe('defaults of settings', () => {
  it('are the value where the server names no other', () => {
    expect(isChanged(option('RetryTimes', '3'))).toBe(false);
    expect(defaultOf(option('RetryTimes', '3'))).toBe('3');
  });

  it('differ by meaning, not by writing', () => {
    expect(isChanged(option('RetryTimes', '5', { default: '3' }))).toBe(true);
    expect(isChanged(option('QuotaPerUnit', '5e5', { default: '500000' }))).toBe(false);
    expect(isChanged(option('ModelRatio', '{"b":2,"a":1}', { default: '{"a":1,"b":2}' }))).toBe(false);
    expect(isChanged(option('ModelRatio', '{"a":1}', { default: '{"a":1,"b":2}' }))).toBe(true);
    expect(isChanged(option('SystemName', '', { default: 'Tidegate' }))).toBe(true);
  });

  it('of a secret is that there is none', () => {
    expect(isChanged(option('SMTPToken', '', { isSet: true }))).toBe(true);
    expect(isChanged(option('SMTPToken', '', { isSet: false }))).toBe(false);
    expect(defaultOf(option('SMTPToken', '', { isSet: true }))).toBeUndefined();
  });
});
