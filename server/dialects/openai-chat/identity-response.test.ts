import { describe, expect, it } from 'vitest';
import { buildWay } from '#tests/support/build-channel.ts';
import { fixResponse } from './identity-response.ts';
import { errorIn } from './response-errors.ts';

const openai = buildWay();

function embeddings(vectors: unknown[], requestBody: Record<string, unknown>): { text: string; fixed: string; vectors: unknown[] } {
  const text = JSON.stringify({ object: 'list', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })) });
  const fixed = fixResponse({ capability: 'embeddings', way: openai, requestBody, upstreamModel: 'm', text });
  return { text, fixed, vectors: JSON.parse(fixed).data.map((row: { embedding: unknown }) => row.embedding) };
}

const floats = [0.5, -0.25, 1, 0];
const base64 = Buffer.from(new Float32Array(floats).buffer).toString('base64');

describe('embeddings', () => {
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

describe('a response of chat', () => {
  const body = {
    id: 'x',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', reasoning_content: 'Let me think', odd: 1 } }],
    strange: true,
  };
  const fix = (setting: string) =>
    JSON.parse(
      fixResponse({
        capability: 'chat',
        way: buildWay({ setting }),
        requestBody: {},
        upstreamModel: 'm',
        text: JSON.stringify(body),
      }),
    );

  it('is the very text of the upstream when no rule applies, JSON or not', () => {
    const text = '{ "id": "x" , broken';
    expect(fixResponse({ capability: 'chat', way: openai, requestBody: {}, upstreamModel: 'm', text })).toBe(text);
  });

  it('has its reasoning within the content when the channel is set so', () => {
    const { message } = fix('{"thinking_to_content":true}').choices[0];
    expect(message).toEqual({ role: 'assistant', content: '<think>\nLet me think\n</think>\nHi', odd: 1 });
  });

  it('has only known fields when the channel is set so', () => {
    expect(fix('{"force_format":true}')).toEqual({
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', reasoning_content: 'Let me think' } }],
    });
  });
});

describe('an error within status 200', () => {
  it('is found as an object, as a text, and as a failed success', () => {
    const found = (body: object) => errorIn(JSON.stringify(body), openai.provider);
    expect(found({ error: { message: 'overloaded', type: 'server_error', code: 500 } })).toMatchObject({
      status: 502,
      message: 'overloaded',
      type: 'server_error',
      code: 500,
    });
    expect(found({ error: 'model crashed' })).toMatchObject({ status: 502, message: 'model crashed' });
    expect(found({ success: false, errors: [{ code: 7, message: 'no such account' }] })).toMatchObject({ message: 'no such account' });
  });

  it('is not seen where there is none', () => {
    const found = (body: object) => errorIn(JSON.stringify(body), openai.provider);
    expect(found({ error: null, choices: [] })).toBeNull();
    expect(found({ error: {}, choices: [] })).toBeNull();
    expect(found({ choices: [{ message: { content: 'the "error" was "success"' } }] })).toBeNull();
    expect(errorIn('"error" but no JSON', openai.provider)).toBeNull();
  });
});
