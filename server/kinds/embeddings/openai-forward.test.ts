import { describe, expect, it } from 'vitest';
import { defaultClientDialect } from '#server/formats/registry.ts';
import { buildRoute } from '#tests/support/build-channel.ts';
import { callKinds } from '../registry.ts';

const openai = buildRoute({}, 'embeddings');

function embeddings(vectors: unknown[], requestBody: Record<string, unknown>): { text: string; fixed: string; vectors: unknown[] } {
  const text = JSON.stringify({ object: 'list', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })) });
  const decoded = callKinds.embeddings.decode({
    client: defaultClientDialect,
    route: openai,
    upstreamModel: 'm',
    body: Buffer.from(text),
    responseFields: requestBody,
    writer: { model: 'm', requestId: '', createdAt: 0, wantsUsage: false, promptEstimate: 0 },
  });
  if (decoded.kind !== 'whole') throw new Error('It is no response');
  const fixed = decoded.body(null).toString();
  return { text, fixed, vectors: JSON.parse(fixed).data.map((row: { embedding: unknown }) => row.embedding) };
}

const floats = [0.5, -0.25, 1, 0];
const base64 = Buffer.from(new Float32Array(floats).buffer).toString('base64');

describe('embeddings that come in the format of their client', () => {
  it('are passed on as they came when they are what was asked for', () => {
    for (const [vector, body] of [
      [floats, {}],
      [floats, { encoding_format: 'float', dimensions: 4 }],
      [base64, { encoding_format: 'base64', dimensions: 4 }],
    ] as const) {
      const { text, fixed } = embeddings([vector], body);
      expect(fixed).toBe(text);
    }
  });

  it('become base64 of little-endian floats when the client asked for it', () => {
    expect(embeddings([floats, floats], { encoding_format: 'base64' }).vectors).toEqual([base64, base64]);
  });

  it('become floats when the client did not ask for base64', () => {
    expect(embeddings([base64], {}).vectors).toEqual([floats]);
  });

  it('are cut to the dimensions asked for, at length 1, in either encoding', () => {
    expect(embeddings([[3, 4, 12]], { dimensions: 2 }).vectors).toEqual([[0.6, 0.8]]);
    const { vectors } = embeddings([Buffer.from(new Float32Array([3, 4, 12]).buffer).toString('base64')], {
      dimensions: 2,
      encoding_format: 'base64',
    });
    const bytes = Buffer.from(String(vectors[0]), 'base64');
    expect(bytes.length).toBe(8);
    expect(bytes.readFloatLE(0)).toBeCloseTo(0.6);
  });

  it('shorter than asked for stay as they are', () => {
    expect(embeddings([floats], { dimensions: 9 }).vectors).toEqual([floats]);
  });
});
