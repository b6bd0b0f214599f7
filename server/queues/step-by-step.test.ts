import { describe, expect, it } from 'vitest';
import { stepByStep } from './step-by-step.ts';

describe('work in steps', () => {
  it('begins after the turn of others, and ends with its result', async () => {
    const order: string[] = [];
    setTimeout(() => setImmediate(() => order.push('others')));
    await new Promise((begun) => setTimeout(begun));
    const done = stepByStep(
      (function* work() {
        order.push('first');
        yield;
        order.push('second');
        return 'result';
      })(),
    );
    order.push('caller');
    expect(await done).toBe('result');
    expect(order).toEqual(['caller', 'others', 'first', 'second']);
  });

  it('is over where a step fails', async () => {
    const failing = stepByStep(
      (function* work() {
        yield;
        throw new Error('It broke');
      })(),
    );
    await expect(failing).rejects.toThrow('It broke');
  });
});
