import { pino } from 'pino';
import { wholeOf } from '#server/framing/byte-source.ts';
import { bytesOfJson } from '#server/framing/long-json.ts';
import { describe, expect, it } from 'vitest';
import { criticalMembers } from '#server/formats/critical-members.ts';
import { type Bodies, createBodies } from '#server/http/bodies.ts';
import { createSpool } from '#server/http/spool.ts';
import { type RelayBody, relayEndpoints } from '#server/call/endpoints.ts';
import { openBody, openContent } from './read-content.ts';
import { rawOf } from './call-content.ts';
import { splitPlaygroundBody } from './playground-body.ts';

const endpoint = relayEndpoints.find(({ dialect, kind }) => dialect.name === 'openai-chat' && kind.name === 'chat');
const small = { messages: [{ role: 'user', content: 'a' }] };
const large = { messages: [{ role: 'user', content: 'word '.repeat(40_000) }] };

function bodiesOf(perOwner: number): Bodies {
  const spool = createSpool({ folder: 'never-made', limits: { all: 0, perOwner: 0 }, log: pino({ level: 'silent' }) });
  return createBodies({ all: 100_000_000, perOwner, timeout: 60 }, spool);
}

const openSmall = (bodies: Bodies) => openBody(bodies, { body: small, userId: 1, names: criticalMembers() });

describe('a replacement of the body', () => {
  it('is held like a received body', async () => {
    const bodies = bodiesOf(1_000_000);
    const content = await openSmall(bodies);
    content.replace(large);
    expect(bodies.bytes).toBeGreaterThan(400_000);
    content.replace(small);
    expect(bodies.bytes).toBeLessThan(1_000);
    content.release();
    expect(bodies.bytes).toBe(0);
  });

  it('is serialized in several turns if long, and at once if short', async () => {
    const bodies = bodiesOf(10_000_000);
    let turns = 0;
    const counted: Bodies = {
      ...bodies,
      inTurn: (owner, work) => {
        turns += 1;
        return bodies.inTurn(owner, work);
      },
    };
    const content = await openSmall(counted);
    const other = await openSmall(counted);
    await content.replaceLong(large, 200_000);
    expect(turns).toBe(1);
    other.replace(large);
    const sent = await wholeOf(bytesOfJson(content.text, content.longTexts()));
    expect([content.body, sent.toString('utf8'), content.isLarge]).toEqual([other.body, other.text, true]);
    await content.replaceLong(small, 1_000);
    expect([turns, content.body]).toEqual([1, small]);
    await expect(content.replaceLong({ messages: Array.from({ length: 100_001 }, () => ({})) }, 300_000)).rejects.toMatchObject({
      code: 'body_too_complex',
    });
    expect(content.body).toEqual(small);
    content.release();
    other.release();
    expect(counted.bytes).toBe(0);
  });

  it('without available memory leaves the first body unchanged, in every attempt', async () => {
    if (endpoint === undefined) throw new Error('There is no such endpoint');
    const bodies = bodiesOf(300_000);
    const content = await openSmall(bodies);
    const before = bodies.bytes;
    expect(() => content.replace(large)).toThrow('too large');
    expect(bodies.bytes).toBe(before);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await content.prepare();
      expect(content.body).toEqual(small);
      content.sent(endpoint, 'gpt-4o');
    }
  });

  it('is not held for a caller that has disconnected', async () => {
    const bodies = bodiesOf(1_000_000);
    const content = await openSmall(bodies);
    content.release();
    content.replace(large);
    expect(bodies.bytes).toBe(0);
  });

  it('is the body that a token count of the prompt counts', async () => {
    if (endpoint === undefined) throw new Error('There is no such endpoint');
    const content = await openBody(bodiesOf(10_000_000), { body: large, userId: 1, names: criticalMembers() });
    content.sent(endpoint, 'gpt-4o');
    await content.prepare();
    content.replace({ messages: [...large.messages, ...large.messages] });
    content.sent(endpoint, 'gpt-4o');
    const counting = { owner: 1, isEstimated: false };
    expect(await content.countPrompt({ endpoint, model: 'gpt-4o', estimate: 1 }, counting)).toBeGreaterThan(70_000);
  });
});

describe('a long body with fields of the gateway', () => {
  it('is sent to the next channel as to the first', async () => {
    if (endpoint === undefined) throw new Error('There is no such endpoint');
    const bodies = bodiesOf(100_000_000);
    const hold = bodies.open('user:1');
    const body = { messages: [{ role: 'user', content: 'word '.repeat(200_000) }], model: 'm' };
    const { raw } = rawOf({ group: 'vip', ...body });
    hold.grow(raw.bytes.length);
    const parts = { bodies, owner: 'user:1', hold, split: splitPlaygroundBody, names: criticalMembers() };
    const content = await openContent(raw, parts);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await content.prepare();
      // In the order of an attempt.
      const texts = content.longTexts();
      const sent = await wholeOf(bytesOfJson(content.text, texts));
      expect(sent.toString('utf8') === JSON.stringify(body), `attempt ${attempt}`).toBe(true);
      content.sent(endpoint, 'gpt-4o');
    }
    content.release();
    expect(bodies.bytes).toBe(0);
  });
});

describe('a replacement of a body with fields of the gateway', () => {
  const withBefore = ({ input, ...rest }: RelayBody) => ({
    ours: { group: 'vip' },
    body: { ...rest, input: ['before', ...(Array.isArray(input) ? input : [])] },
  });

  it.each(['replace', 'replaceLong'] as const)('is not split again, in any attempt: %s', async (route) => {
    if (endpoint === undefined) throw new Error('There is no such endpoint');
    const bodies = bodiesOf(100_000_000);
    const hold = bodies.open('user:1');
    const { raw } = rawOf({ input: ['now'] });
    const content = await openContent(raw, { bodies, owner: 'user:1', hold, split: withBefore, names: criticalMembers() });
    const other = { input: ['before', 'word '.repeat(200_000)] };
    if (route === 'replace') content.replace(other);
    else await content.replaceLong(other, 1_000_000);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await content.prepare();
      expect(content.body).toEqual(other);
      expect(content.ours).toEqual({ group: 'vip' });
      content.sent(endpoint, 'gpt-4o');
    }
    content.release();
    expect(bodies.bytes).toBe(0);
  });
});
