import { expect, test } from 'vitest';
import { drawingRefusal } from '#server/slices/drawings/refusal.ts';
import { musicRefusal } from '#server/slices/music/refusal.ts';
import { TaskFailure } from './task-failure.ts';
import { parseUpstreamError } from '#server/exchange/upstream-error.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';

const channel = buildPreparedChannel({ base_url: 'https://up.example', status_code_mapping: '{"503":"429","422":"409","429":"500"}' });

function reported(status: number) {
  const failure = TaskFailure.ofUpstream(parseUpstreamError({ status, text: '{"message":"no"}', channel, now: 0 }), []);
  const [music, drawing] = [musicRefusal(failure, 'en'), drawingRefusal(failure, 'en')];
  return { music: [music?.status, codeIn(music?.body)], drawing: [drawing?.status, codeIn(drawing?.body)] };
}

function codeIn(body: object | undefined): unknown {
  return body === undefined || !('code' in body) ? undefined : body.code;
}

test('failures of tasks have the status that the channel maps it to', () => {
  expect(reported(503)).toEqual({ music: [429, 'fail_to_fetch_task'], drawing: [429, 30] });
  expect(reported(422)).toEqual({ music: [409, 'fail_to_fetch_task'], drawing: [400, 5] });
  expect(reported(429)).toEqual({ music: [500, 'fail_to_fetch_task'], drawing: [400, 5] });
  expect(reported(418)).toEqual({ music: [418, 'fail_to_fetch_task'], drawing: [400, 5] });
});

test('a redirect, and an invalid response with a success status, are failures of the upstream', () => {
  expect(reported(302).music).toEqual([502, 'fail_to_fetch_task']);
  expect(reported(202).music).toEqual([502, 'fail_to_fetch_task']);
});
