import { describe, expect, it } from 'vitest';
import { fittingIds, type IdUse } from './call-id-rules.ts';

/** Turns of calls and results: `+a` is a call, `-a` its result. */
function uses(...turns: string[]): IdUse[] {
  return turns.flatMap((turn, index) =>
    turn.split(' ').map((text): IdUse => ({ kind: text.startsWith('+') ? 'call' : 'result', id: text.slice(1), turn: index })),
  );
}

const plain = { letters: /^[\w-]+$/, most: 64 } as const;
const nine = { letters: /^[a-zA-Z0-9]+$/, exactly: 9 } as const;

describe('call ids for the next provider', () => {
  it('does not change a conversation with valid ids', () => {
    expect(fittingIds(uses('+a +b', '-a -b'), plain)).toBeNull();
    expect(fittingIds(uses('+functions.Bash:0', '-functions.Bash:0'), {})).toBeNull();
  });

  it('gives a result the id of its call, and distinguishes ids that differ in rejected characters only', () => {
    const ids = fittingIds(uses('+functions.Bash:0 +functions_Bash_0', '-functions.Bash:0 -functions_Bash_0'), plain) ?? [];
    expect(ids.slice(0, 2)).toEqual(ids.slice(2));
    expect(ids[1]).toBe('functions_Bash_0');
    expect(ids[0]).toMatch(/^call_[a-zA-Z0-9]{24}$/);
  });

  it('writes ids of exactly the required length, the same in every request', () => {
    const long = `call_${'a'.repeat(100)}`;
    const first = fittingIds(uses(`+${long}1 +${long}2`, `-${long}1 -${long}2`), nine) ?? [];
    const later = fittingIds(uses('+abcDEF123', '-abcDEF123', `+${long}1 +${long}2`, `-${long}2 -${long}1`), nine) ?? [];
    expect(new Set(first).size).toBe(2);
    for (const id of first) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(later).toEqual(['abcDEF123', 'abcDEF123', first[0], first[1], first[1], first[0]]);
  });

  it('never uses the id of another call', () => {
    const [made = ''] = fittingIds(uses('+a.b'), nine) ?? [];
    const ids = fittingIds(uses(`+a.b +${made}`, `-a.b -${made}`), nine) ?? [];
    expect(ids[1]).toBe(made);
    expect(ids[0]).not.toBe(made);
    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  });

  it('distinguishes calls with the same id if the provider requires it', () => {
    const unique = { ...plain, areUnique: true } as const;
    const ids = fittingIds(uses('+call_0', '-call_0', '+call_0 +call_0', '-call_0 -call_0'), unique) ?? [];
    expect(ids[0]).toBe('call_0');
    expect(ids[1]).toBe('call_0');
    expect(new Set([ids[0], ids[2], ids[3]]).size).toBe(3);
    expect(ids.slice(4)).toEqual(ids.slice(2, 4));
  });

  it('starts over after a turn without results', () => {
    const unique = { ...plain, areUnique: true } as const;
    const ids = fittingIds(uses('+a', '+a', '-a'), unique) ?? [];
    expect(ids[2]).toBe(ids[1]);
  });

  it('replaces an empty id', () => {
    const [call, result] = fittingIds(uses('+', '-'), plain) ?? [];
    expect(call).toMatch(/^call_/);
    expect(result).toBe(call);
    const ids = fittingIds(uses('+ +', '- -', '+', '-'), {}) ?? [];
    expect(ids.slice(0, 2)).toEqual(ids.slice(2, 4));
    expect(ids[4]).toBe(ids[5]);
    expect(new Set([ids[0], ids[1], ids[4]]).size).toBe(3);
  });
});
