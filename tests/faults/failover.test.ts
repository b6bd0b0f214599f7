// Three channels of which one fails, with default settings: no caller notices, and the sick channel is used less and less.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import type { Behaviour } from '#tests/support/upstream-behaviour.ts';

const parallel = 32;

const sicknesses: { sickness: string; calls: number; behaviour: Behaviour; finalShare: number }[] = [
  // By its weight it would be a third; what is left are mostly good answers.
  {
    sickness: '500 for a random 30 % of its calls',
    calls: 3_000,
    behaviour: { failing: { rate: 0.3, seed: 7, as: { status: 500 } } },
    finalShare: 0.22,
  },
  { sickness: '500 always', calls: 1_000, behaviour: { status: 500 }, finalShare: 0.02 },
  { sickness: '429 with Retry-After always', calls: 1_000, behaviour: { status: 429, retryAfter: 20 }, finalShare: 0.02 },
];

describe.each(oneEngine)('three channels of which one fails on $kind', (engine) => {
  test.each(sicknesses)('$sickness: $calls calls, no error, and its share falls', async ({ calls, behaviour, finalShare }) => {
    await using scene = await createScene(engine, {
      channels: [{ key: 'sick' }, { key: 'well' }, { key: 'fit' }],
    });
    scene.upstream.behave(behaviour, { key: 'sick' });
    const problems: string[] = [];
    let started = 0;
    const caller = async () => {
      while (started < calls) {
        const isStream = started % 2 === 0;
        started += 1;
        // Each a conversation of its own: those of one go to one channel.
        const response = await scene.chat({ stream: isStream, messages: [{ role: 'user', content: `Say hello, ${started}` }] });
        const text = await response.text();
        const isWhole = isStream ? text.trimEnd().endsWith('data: [DONE]') : text.includes('"choices"');
        if (response.status !== 200 || !isWhole || text.includes('"error"')) problems.push(`${response.status} ${text}`);
      }
    };
    await Promise.all(Array.from({ length: parallel }, caller));
    expect(problems).toEqual([]);
    const { requests } = scene.upstream;
    const shareOf = (part: readonly { key: string }[]) => part.filter(({ key }) => key === 'sick').length / part.length;
    expect(shareOf(requests)).toBeGreaterThan(0);
    expect(shareOf(requests.slice(-calls / 3))).toBeLessThan(finalShare);
    // Trying elsewhere is not free: the sick channel did not cost a second request for every call.
    expect(requests.length).toBeLessThan(calls * 1.15);
    const [sick] = scene.channelIds;
    const rows = await scene.logs(calls);
    expect(rows).toHaveLength(calls);
    expect(rows.every((row) => row.quota > 0)).toBe(true);
    if (behaviour.failing === undefined) expect(rows.every((row) => row.channel_id !== sick)).toBe(true);
    await scene.checkBooks();
  });
});
