// Log probabilities through a running server, requested in one format and returned by a provider of another.
import { describe, expect, test } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

const likely = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] });
const content = [
  { ...likely('High', -0.25), top_logprobs: [likely('High', -0.25), likely('Low', -1.5)] },
  { ...likely(' tide', -0.5), top_logprobs: [likely(' tide', -0.5)] },
];
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: testModel };
const whole = {
  ...head,
  choices: [
    { index: 0, message: { role: 'assistant', content: 'High tide' }, logprobs: { content, refusal: null }, finish_reason: 'stop' },
  ],
  usage,
};
const chunk = (rest: object) => `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...rest })}\n\n`;
const events = [
  ...content.map((token) =>
    chunk({ choices: [{ index: 0, delta: { content: token.token }, logprobs: { content: [token] }, finish_reason: null }] }),
  ),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage }),
  'data: [DONE]\n\n',
].join('');

const gemini = {
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'High tide' }] },
      finishReason: 'STOP',
      logprobsResult: {
        chosenCandidates: content.map(({ token, logprob }) => ({ token, logProbability: logprob })),
        topCandidates: content.map(({ top_logprobs: top }) => ({
          candidates: top.map(({ token, logprob }) => ({ token, logProbability: logprob })),
        })),
      },
    },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
};

const question = { model: testModel, messages: [{ role: 'user', content: 'When?' }] };

function dataOf(stream: string) {
  return [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, data = '']) => JSON.parse(data));
}

describe.each(oneEngine)('probabilities of tokens on $kind', (engine) => {
  test('of a conversation are told in Responses, and as completions had them', async () => {
    const json = { type: 'application/json' };
    await using upstream = await startRawUpstream((response) => void response.end(JSON.stringify(whole)), json);
    await using scene = await createScene(engine, {
      channels: [{ base_url: upstream.url, setting: JSON.stringify({ formats: ['openai-chat'] }) }],
    });
    const requested = { model: testModel, input: 'When?', include: ['message.output_text.logprobs'], top_logprobs: 2 };
    const response = await (await scene.post('/v1/responses', requested)).json();
    expect(response.output[0].content[0]).toMatchObject({ type: 'output_text', text: 'High tide', logprobs: content });
    const completion = await (await scene.post('/v1/completions', { model: testModel, prompt: 'When?', logprobs: 2, echo: true })).json();
    expect(completion.choices).toEqual([
      {
        text: 'When?High tide',
        index: 0,
        finish_reason: 'stop',
        logprobs: {
          tokens: ['High', ' tide'],
          token_logprobs: [-0.25, -0.5],
          top_logprobs: [{ High: -0.25, Low: -1.5 }, { ' tide': -0.5 }],
          text_offset: [5, 9],
        },
      },
    ]);
    await scene.checkBooks();
  });

  test('come with the text that they are of in a stream', async () => {
    await using upstream = await startRawUpstream((response) => void response.end(events), { type: 'text/event-stream' });
    await using scene = await createScene(engine, {
      channels: [{ base_url: upstream.url, setting: JSON.stringify({ formats: ['openai-chat'] }) }],
    });
    const requested = { model: testModel, input: 'When?', include: ['message.output_text.logprobs'], stream: true };
    const reported = dataOf(await (await scene.post('/v1/responses', requested)).text());
    const deltas = reported.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta, logprobs }) => [delta, logprobs])).toEqual(content.map((token) => [token.token, [token]]));
    expect(reported.find(({ type }) => type === 'response.output_text.done').logprobs).toEqual(content);

    const legacy = { model: testModel, prompt: 'When?', logprobs: 2, echo: true, stream: true };
    const choices = dataOf(await (await scene.post('/v1/completions', legacy)).text()).flatMap((event) => event.choices);
    expect(choices.map(({ text }) => text).join('')).toBe('When?High tide');
    expect(choices.flatMap(({ logprobs }) => logprobs?.text_offset ?? [])).toEqual([5, 9]);
    expect(choices.flatMap(({ logprobs }) => logprobs?.tokens ?? [])).toEqual(['High', ' tide']);
  });

  test('of Gemini are told in chat', async () => {
    const json = { type: 'application/json' };
    await using upstream = await startRawUpstream((response) => void response.end(JSON.stringify(gemini)), json);
    await using scene = await createScene(engine, { channels: [{ type: 24, base_url: upstream.url }] });
    const answer = await (await scene.post('/v1/chat/completions', { ...question, logprobs: true, top_logprobs: 2 })).json();
    expect(answer.choices[0].logprobs).toEqual({ content, refusal: null });
  });
});
