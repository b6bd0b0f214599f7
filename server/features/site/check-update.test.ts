import { describe, expect, it } from 'vitest';
import { isNewer } from './check-update.ts';

describe('a newer version', () => {
  it.each([
    ['v1.10.0', '1.9.9', true],
    ['1.2.3', '1.2.3', false],
    ['v0.9', '1.0.0', false],
    ['v2', '1.99.99', true],
    ['1.2.3', '1.2.3-rc.1', true],
    ['1.2.3-rc.1', '1.2.3', false],
    ['1.2.3-rc.2', '1.2.3-rc.1', true],
    ['1.2.3-rc.10', '1.2.3-rc.9', true],
    ['1.2.3-rc.1', '1.2.3-rc.1', false],
    ['1.2.3-rc.1', '1.2.3-rc.2', false],
    ['nightly', '0.0.1', false],
    ['', '0.0.1', false],
  ])('%s after %s: %s', (candidate, current, expected) => {
    expect(isNewer(candidate, current)).toBe(expected);
  });
});
