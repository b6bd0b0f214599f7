import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTexts } from '#pwa/i18n/setup.ts';
import { type FixtureServer, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { CallFailure } from './failure.ts';
import { onOutcome, type Outcome } from './outcomes.ts';
import { type ChatPiece, streamChat } from './stream-chat.ts';
import { shows } from '#tests/support/shows.ts';

let server: FixtureServer;
let outcomes: Outcome[];

beforeAll(async () => {
  server = await startFixtureServer();
  localStorage.setItem('i18nextLng', 'en');
  await startTexts();
  onOutcome((outcome) => outcomes.push(outcome));
});
afterAll(() => server.stop());
beforeEach(() => {
  outcomes = [];
  server.requested.length = 0;
});

const delta = (fields: object, further: object = {}): string => `data: ${JSON.stringify({ choices: [{ delta: fields, ...further }] })}\n\n`;

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-oneapi-request-id': 'id-1' });
}

async function ask(signal = new AbortController().signal): Promise<{ pieces: ChatPiece[]; id: string | undefined; failure?: CallFailure }> {
  const pieces: ChatPiece[] = [];
  let id: string | undefined;
  try {
    await streamChat({ body: { model: 'm' }, signal, onStart: (requestId) => (id = requestId), onPiece: (piece) => pieces.push(piece) });
    return { pieces, id };
  } catch (thrown) {
    if (!(thrown instanceof CallFailure)) throw thrown;
    return { pieces, id, failure: thrown };
  }
}

describe('a streamed chat', () => {
  test('is read however it is cut, and says who asks', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 3 } };
    const bytes = Buffer.from(
      `: keep-alive\n\n${delta({ role: 'assistant', content: '' })}${delta({ reasoning_content: '想' })}${delta({ content: '潮汐 🌊' })}` +
        delta({ tool_calls: [{ index: 0, function: { name: 'tide', arguments: '{"a"' } }] }) +
        `${delta({ content: null }, { finish_reason: 'stop' }).replaceAll('\n', '\r\n')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
    );
    server.answer(async (_asked, response) => {
      begin(response);
      for (let at = 0; at < bytes.length; at += 5) {
        response.write(bytes.subarray(at, at + 5));
        if (at % 50 === 0) await new Promise(setImmediate);
      }
      response.end();
    });
    const { pieces, id, failure } = await ask();
    expect(failure).toBeUndefined();
    expect(id).toBe('id-1');
    expect(pieces.map(({ text = '' }) => text).join('')).toBe('潮汐 🌊');
    expect(pieces.map(({ reasoning = '' }) => reasoning).join('')).toBe('想');
    expect(pieces.flatMap(({ toolCalls = [] }) => toolCalls)).toEqual([{ index: 0, name: 'tide', arguments: '{"a"' }]);
    expect(pieces.find(({ finish }) => finish !== undefined)?.finish).toBe('stop');
    expect(pieces.at(-1)?.usage).toEqual({ prompt: 5, completion: 7, reasoning: 3 });
    expect(server.requested[0]).toMatchObject({
      method: 'POST',
      url: '/pg/chat/completions',
      body: { model: 'm' },
      headers: { 'new-api-user': '-1' },
    });
    expect(outcomes).toEqual(['answered']);
  });

  test('events that are none of the format are passed over', async () => {
    server.answer((_asked, response) => {
      begin(response);
      for (const data of ['nothing', '[]', '{"choices":"x"}', '{"choices":[{"delta":{"content":5}}]}', '{"choices":[{}]}'])
        response.write(`data: ${data}\n\n`);
      response.end(`${delta({ content: 'still here' })}data: [DONE]\n\n`);
    });
    const { pieces, failure } = await ask();
    expect(failure).toBeUndefined();
    expect(pieces.map(({ text = '' }) => text).join('')).toBe('still here');
  });

  test.each([
    [
      403,
      { error: { message: 'user quota is not enough', code: 'insufficient_user_quota' } },
      'insufficient_user_quota',
      'user quota is not enough',
    ],
    [200, { success: false, message: 'The user has been banned', code: 'user_banned' }, 'user_banned', 'The user has been banned'],
    [503, { error: { message: 'No channel', code: 'no_channel' } }, 'no_channel', 'No channel'],
  ])('a refusal with %i keeps its words', async (status, body, code, message) => {
    server.answer((_asked, response) => sendJson(response, body, status, { 'x-oneapi-request-id': 'id-2' }));
    const { failure, pieces } = await ask();
    expect(failure).toMatchObject({ code, message, requestId: 'id-2' });
    expect(pieces).toEqual([]);
    expect(outcomes).toEqual(['answered']);
  });

  test('the end of a session is told to whoever listens', async () => {
    server.answer((_asked, response) => sendJson(response, { success: false, message: 'Not logged in', code: 'not_logged_in' }, 401));
    expect((await ask()).failure?.code).toBe('not_logged_in');
    expect(outcomes).toContain('session_over');
  });

  test('an answer of a proxy in between is the silence of the server', async () => {
    server.answer((_asked, response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html>');
    });
    expect((await ask()).failure?.status).toBe(502);
    expect(outcomes).toEqual(['unreachable']);
  });

  test('an error in the middle keeps what came before it', async () => {
    server.answer((_asked, response) => {
      begin(response);
      response.end(`${delta({ content: 'half' })}data: {"error":{"message":"upstream gone","code":"upstream_failed"}}\n\n`);
    });
    const { pieces, failure } = await ask();
    expect(pieces).toEqual([{ text: 'half' }]);
    expect(failure).toMatchObject({ code: 'upstream_failed', message: 'upstream gone' });
  });

  test('one that ends without its marker was cut', async () => {
    server.answer((_asked, response) => {
      begin(response);
      response.end(delta({ content: 'half' }));
    });
    expect((await ask()).failure).toMatchObject({ code: 'cut', requestId: 'id-1' });
  });

  test('who stops it ends the call on the server too', async () => {
    const closed = vi.fn<() => void>();
    server.answer((_asked, response) => {
      response.on('close', closed);
      begin(response);
      response.write(delta({ content: 'half' }));
    });
    const stopping = new AbortController();
    const asking = ask(stopping.signal);
    await shows(() => expect(server.requested).toHaveLength(1));
    await shows(() => expect(outcomes).toEqual(['answered']));
    stopping.abort();
    expect((await asking).failure?.code).toBe('cancelled');
    await shows(() => expect(closed).toHaveBeenCalled());
  });
});
