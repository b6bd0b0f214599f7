import { describe, expect, it } from 'vitest';
import { buildRoute } from '#tests/support/build-channel.ts';
import { fixResponse } from './identity-response.ts';
import { errorIn } from './response-errors.ts';

const openai = buildRoute();

describe('a response of chat', () => {
  const body = {
    id: 'x',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', reasoning_content: 'Let me think', odd: 1 } }],
    strange: true,
  };
  const fix = (setting: string) =>
    JSON.parse(
      JSON.stringify(
        fixResponse({
          route: buildRoute({ setting }),
          upstreamModel: 'm',
          body: structuredClone(body),
        }),
      ),
    );

  it('is the same object as the upstream’s if no rule applies', () => {
    expect(fixResponse({ route: openai, upstreamModel: 'm', body })).toBe(body);
  });

  it('has its reasoning within the content if the channel is set so', () => {
    const { message } = fix('{"thinking_to_content":true}').choices[0];
    expect(message).toEqual({ role: 'assistant', content: '<think>\nLet me think\n</think>\nHi', odd: 1 });
  });

  it('has only known fields if the channel is set so', () => {
    expect(fix('{"force_format":true}')).toEqual({
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', reasoning_content: 'Let me think' } }],
    });
  });
});

describe('an error within status 200', () => {
  it('is found as an object, as a text, and as `success: false`', () => {
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

  it('is not found in a valid response', () => {
    const found = (body: object) => errorIn(JSON.stringify(body), openai.provider);
    expect(found({ error: null, choices: [] })).toBeNull();
    expect(found({ error: {}, choices: [] })).toBeNull();
    expect(found({ choices: [{ message: { content: 'the "error" was "success"' } }] })).toBeNull();
    expect(errorIn('"error" but no JSON', openai.provider)).toBeNull();
  });
});
