// Every video provider with every client format: strictly validated requests, and results.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { questionRequest } from '#server/tasks/request-upstream.ts';
import type { VideoOrder } from '#server/tasks/videos/video-format.ts';
import { providers } from '#server/providers/registry.ts';
import { videoFormats } from '#server/tasks/videos/registry.ts';
import { serviceAccount } from '#tests/support/fake-vertex.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { type FakeVideos, film, startFakeVideos, type VideoReply, type VideoVisit } from '#tests/support/fake-videos.ts';
import { type FakeInternet, publicName, startFakeInternet } from '#tests/support/fake-internet.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';
import { createVideoScene, type VideoScene } from '#tests/support/video-scene.ts';
import { problemText } from '#tests/support/problem-text.ts';

afterAll(trustLocalhost());

const address = `https://${publicName}/made.mp4?sig=1`;
const png = Buffer.from('89504e470d0a1a0a00000000', 'hex');
const picture = { url: `data:image/png;base64,${png.toString('base64')}`, base64: png.toString('base64') };
const start = 10_000_000;

type State = 'waiting' | 'done' | 'failed' | 'empty';

/** Its side of the wire. */
interface Provider {
  type: number;
  key: string;
  /** The channel's free field. */
  other?: string;
  /** Videos are within responses, without duration and URL. */
  isInside?: true;
  model: string;
  seconds: number;
  /** Method, path, headers and body of an order of text, and of one with a picture. */
  text: { path: string; body: unknown };
  drawn: { path: string; body: unknown };
  headers: Record<string, unknown>;
  taken: unknown;
  requested: string;
  reported(state: State): unknown;
  /** Responses to further requests. */
  also?(visit: VideoVisit): VideoReply | undefined;
  /** Rejected orders: status and body, and the caller's error. */
  refusals: readonly [reply: { status?: number; body: unknown }, status: number, code: string][];
}

const prompt = 'a harbour at dawn';
const atVertex = 'projects/proj-1/locations/us-central1/publishers/google/models/veo-3.1-fast-generate-001';
const word = <Words extends Record<State, string>>(words: Words) => words;

const rows: readonly Provider[] = [
  {
    type: 50,
    key: 'ak1|sk1',
    model: 'kling-v2-6',
    seconds: 5,
    headers: { authorization: expect.stringMatching(/^Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\./) },
    text: {
      path: '/v1/videos/text2video',
      body: { model_name: 'kling-v2-6', prompt, mode: 'std', duration: '5', cfg_scale: 0.5, aspect_ratio: '16:9' },
    },
    drawn: {
      path: '/v1/videos/image2video',
      body: { model_name: 'kling-v2-6', prompt, mode: 'std', duration: '5', cfg_scale: 0.5, image: picture.base64 },
    },
    taken: { code: 0, message: 'SUCCEED', request_id: 'r', data: { task_id: 'kt1', task_status: 'submitted' } },
    requested: 'GET /v1/videos/text2video/kt1',
    reported: (state) => ({
      code: 0,
      data: {
        task_id: 'kt1',
        task_status: word({ waiting: 'processing', done: 'succeed', failed: 'failed', empty: 'succeed' })[state],
        task_status_msg: state === 'failed' ? 'not allowed' : '',
        task_result: { videos: state === 'done' ? [{ id: 'v', url: address, duration: '5' }] : [] },
      },
    }),
    refusals: [
      [{ body: { code: 1301, message: 'content is not safe' } }, 400, '1301'],
      [{ status: 429, body: { code: 1303, message: 'too many' } }, 429, 'bad_response_status_code'],
      [{ body: { code: 1102, message: 'resource pack depleted' } }, 502, 'channel_refused'],
    ],
  },
  {
    type: 51,
    key: 'ak1|sk1',
    model: 'jimeng_t2v_v30',
    seconds: 5,
    headers: {
      authorization: expect.stringMatching(
        /^HMAC-SHA256 Credential=ak1\/\d{8}\/cn-north-1\/cv\/request, SignedHeaders=content-type;host;x-content-sha256;x-date, Signature=[0-9a-f]{64}$/,
      ),
      'x-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
      'x-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    text: {
      path: '/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31',
      body: { req_key: 'jimeng_t2v_v30', prompt, frames: 121, aspect_ratio: '16:9' },
    },
    drawn: {
      path: '/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31',
      body: { req_key: 'jimeng_t2v_v30', prompt, frames: 121, binary_data_base64: [picture.base64] },
    },
    taken: { code: 10000, message: 'Success', request_id: 'r', status: 10000, data: { task_id: 'jt1' } },
    requested: 'POST /?Action=CVSync2AsyncGetResult&Version=2022-08-31 {"req_key":"jimeng_t2v_v30","task_id":"jt1"}',
    reported: (state) =>
      state === 'failed'
        ? { code: 50413, message: 'not allowed', data: null }
        : {
            code: 10000,
            data: {
              status: word({ waiting: 'generating', done: 'done', failed: '', empty: 'done' })[state],
              video_url: state === 'done' ? address : '',
            },
          },
    refusals: [
      [{ body: { code: 50412, message: 'not allowed' } }, 400, '50412'],
      [{ body: { code: 50430, message: 'too many' } }, 429, 'upstream_saturated'],
    ],
  },
  {
    type: 52,
    key: 'vda_key',
    model: 'viduq2',
    seconds: 5,
    headers: { authorization: 'Token vda_key' },
    text: { path: '/ent/v2/text2video', body: { model: 'viduq2', prompt, duration: 5, resolution: '720p', aspect_ratio: '16:9' } },
    drawn: { path: '/ent/v2/img2video', body: { model: 'viduq2', prompt, duration: 5, resolution: '720p', images: [picture.url] } },
    taken: { task_id: 'vt1', state: 'created' },
    requested: 'GET /ent/v2/tasks/vt1/creations',
    reported: (state) => ({
      id: 'vt1',
      state: word({ waiting: 'queueing', done: 'success', failed: 'failed', empty: 'success' })[state],
      err_code: state === 'failed' ? 'not allowed' : '',
      creations: state === 'done' ? [{ id: 'c', url: address, cover_url: `https://${publicName}/cover.webp` }] : [],
    }),
    refusals: [
      [{ status: 400, body: { code: 400, reason: 'FieldInvalid', message: 'duration is not allowed' } }, 400, 'bad_response_status_code'],
    ],
  },
  ...[54, 45].map((type): Provider => ({
    type,
    key: 'ark-key',
    model: 'doubao-seedance-1-0-pro-250528',
    seconds: 5,
    headers: { authorization: 'Bearer ark-key' },
    text: {
      path: '/api/v3/contents/generations/tasks',
      body: {
        model: 'doubao-seedance-1-0-pro-250528',
        content: [{ type: 'text', text: prompt }],
        resolution: '720p',
        ratio: '16:9',
        duration: 5,
        watermark: false,
      },
    },
    drawn: {
      path: '/api/v3/contents/generations/tasks',
      body: {
        model: 'doubao-seedance-1-0-pro-250528',
        content: [
          { type: 'text', text: prompt },
          { type: 'image_url', image_url: { url: picture.url }, role: 'first_frame' },
        ],
        resolution: '720p',
        ratio: 'adaptive',
        duration: 5,
        watermark: false,
      },
    },
    taken: { id: 'cgt-1' },
    requested: 'GET /api/v3/contents/generations/tasks/cgt-1',
    reported: (state) => ({
      id: 'cgt-1',
      status: word({ waiting: 'running', done: 'succeeded', failed: 'failed', empty: 'succeeded' })[state],
      ...(state === 'failed' ? { error: { code: 'x', message: 'not allowed' } } : {}),
      content: state === 'done' ? { video_url: address } : {},
    }),
    refusals: [
      [
        { status: 400, body: { error: { code: 'InvalidParameter', message: 'resolution is not valid', type: 'BadRequest' } } },
        400,
        'InvalidParameter',
      ],
    ],
  })),
  {
    type: 17,
    key: 'sk-ali',
    model: 'wan2.5-t2v-preview',
    seconds: 5,
    headers: { authorization: 'Bearer sk-ali', 'x-dashscope-async': 'enable' },
    text: {
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      body: { model: 'wan2.5-t2v-preview', input: { prompt }, parameters: { size: '1280*720', duration: 5, watermark: false } },
    },
    drawn: {
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      body: {
        model: 'wan2.5-t2v-preview',
        input: { prompt, img_url: picture.url },
        parameters: { resolution: '720P', duration: 5, watermark: false },
      },
    },
    taken: { output: { task_status: 'PENDING', task_id: 'at1' }, request_id: 'r' },
    requested: 'GET /api/v1/tasks/at1',
    reported: (state) => ({
      request_id: 'r',
      output: {
        task_id: 'at1',
        task_status: word({ waiting: 'RUNNING', done: 'SUCCEEDED', failed: 'FAILED', empty: 'SUCCEEDED' })[state],
        ...(state === 'done' ? { video_url: address } : {}),
        ...(state === 'failed' ? { code: 'x', message: 'not allowed' } : {}),
      },
    }),
    refusals: [
      [{ status: 400, body: { code: 'InvalidParameter', message: 'size is not valid', request_id: 'r' } }, 400, 'bad_response_status_code'],
    ],
  },
  {
    type: 35,
    key: 'mm-key',
    model: 'MiniMax-Hailuo-02',
    seconds: 6,
    headers: { authorization: 'Bearer mm-key' },
    text: {
      path: '/v1/video_generation',
      body: { model: 'MiniMax-Hailuo-02', prompt, duration: 6, resolution: '768P', aigc_watermark: false },
    },
    drawn: {
      path: '/v1/video_generation',
      body: { model: 'MiniMax-Hailuo-02', prompt, duration: 6, resolution: '768P', first_frame_image: picture.url, aigc_watermark: false },
    },
    taken: { task_id: '106916112212032', base_resp: { status_code: 0, status_msg: 'success' } },
    requested: 'GET /v1/query/video_generation?task_id=106916112212032',
    reported: (state) => ({
      task_id: '106916112212032',
      status: word({ waiting: 'Processing', done: 'Success', failed: 'Fail', empty: 'Success' })[state],
      file_id: state === 'done' ? '176844028768320' : '',
      base_resp: state === 'failed' ? { status_code: 1027, status_msg: 'not allowed' } : { status_code: 0, status_msg: 'success' },
    }),
    also: ({ path: at }) =>
      at === '/v1/files/retrieve?file_id=176844028768320'
        ? { body: { file: { file_id: 176844028768320, download_url: address }, base_resp: { status_code: 0 } } }
        : undefined,
    refusals: [
      [{ body: { task_id: '', base_resp: { status_code: 1026, status_msg: 'new_sensitive' } } }, 400, '1026'],
      [{ body: { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } } }, 502, 'channel_refused'],
    ],
  },
  {
    type: 26,
    key: 'id.secret',
    model: 'cogvideox-3',
    seconds: 5,
    headers: { authorization: expect.stringMatching(/^eyJ/) },
    text: {
      path: '/api/paas/v4/videos/generations',
      body: { model: 'cogvideox-3', prompt, size: '1280x720', duration: 5, watermark_enabled: false },
    },
    drawn: {
      path: '/api/paas/v4/videos/generations',
      body: { model: 'cogvideox-3', prompt, size: '1280x720', duration: 5, image_url: picture.url, watermark_enabled: false },
    },
    taken: { id: 'zt1', request_id: 'r', model: 'cogvideox-3', task_status: 'PROCESSING' },
    requested: 'GET /api/paas/v4/async-result/zt1',
    reported: (state) => ({
      task_status: word({ waiting: 'PROCESSING', done: 'SUCCESS', failed: 'FAIL', empty: 'SUCCESS' })[state],
      ...(state === 'failed' ? { error: { code: '1301', message: 'not allowed' } } : {}),
      video_result: state === 'done' ? [{ url: address, cover_image_url: `https://${publicName}/cover.webp` }] : [],
    }),
    refusals: [[{ status: 400, body: { error: { code: '1210', message: 'size is not valid' } } }, 400, '1210']],
  },
  {
    type: 24,
    key: 'AIza-key',
    model: 'veo-3.1-generate-preview',
    seconds: 8,
    headers: { 'x-goog-api-key': 'AIza-key' },
    text: {
      path: '/v1beta/models/veo-3.1-generate-preview:predictLongRunning',
      body: {
        instances: [{ prompt }],
        parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, sampleCount: 1 },
      },
    },
    drawn: {
      path: '/v1beta/models/veo-3.1-generate-preview:predictLongRunning',
      body: {
        instances: [{ prompt, image: { bytesBase64Encoded: picture.base64, mimeType: 'image/png' } }],
        parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, sampleCount: 1 },
      },
    },
    taken: { name: 'models/veo-3.1-generate-preview/operations/op1' },
    requested: 'GET /v1beta/models/veo-3.1-generate-preview/operations/op1',
    reported: (state) => ({
      name: 'models/veo-3.1-generate-preview/operations/op1',
      ...(state === 'waiting' ? {} : { done: true }),
      ...(state === 'failed' ? { error: { code: 3, message: 'not allowed' } } : {}),
      ...(state === 'done' ? { response: { generateVideoResponse: { generatedSamples: [{ video: { uri: address } }] } } } : {}),
      ...(state === 'empty' ? { response: { generateVideoResponse: {} } } : {}),
    }),
    refusals: [
      [
        { status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'durationSeconds is not valid' } } },
        400,
        'INVALID_ARGUMENT',
      ],
    ],
  },
  {
    type: 41,
    key: 'AIza-key',
    other: '{"default":"europe-west4","veo-3.1-fast-generate-001":"us-central1"}',
    model: 'veo-3.1-fast-generate-001',
    seconds: 8,
    isInside: true,
    headers: { 'x-goog-api-key': 'AIza-key' },
    text: {
      path: '/v1/publishers/google/models/veo-3.1-fast-generate-001:predictLongRunning',
      body: {
        instances: [{ prompt }],
        parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, sampleCount: 1, generateAudio: true },
      },
    },
    drawn: {
      path: '/v1/publishers/google/models/veo-3.1-fast-generate-001:predictLongRunning',
      body: {
        instances: [{ prompt, image: { bytesBase64Encoded: picture.base64, mimeType: 'image/png' } }],
        parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, sampleCount: 1, generateAudio: true },
      },
    },
    taken: { name: `${atVertex}/operations/op1` },
    requested: `POST /v1/${atVertex}:fetchPredictOperation {"operationName":"${atVertex}/operations/op1"}`,
    reported: (state) => ({
      name: `${atVertex}/operations/op1`,
      ...(state === 'waiting' ? {} : { done: true }),
      ...(state === 'failed' ? { error: { code: 3, message: 'not allowed' } } : {}),
      ...(state === 'done'
        ? {
            response: {
              '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse',
              raiMediaFilteredCount: 0,
              videos: [{ bytesBase64Encoded: film.toString('base64'), mimeType: 'video/mp4' }],
            },
          }
        : {}),
      ...(state === 'empty' ? { response: { raiMediaFilteredCount: 1 } } : {}),
    }),
    refusals: [
      [
        { status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'durationSeconds is not valid' } } },
        400,
        'INVALID_ARGUMENT',
      ],
    ],
  },
];

describe('providers of videos', () => {
  let scene: VideoScene;
  let internet: FakeInternet;
  beforeAll(async () => {
    internet = await startFakeInternet();
    internet.serve(({ path: at, headers }, response) => {
      if (headers.range === 'bytes=4-')
        return response
          .writeHead(206, { 'content-type': 'video/mp4', 'content-range': `bytes 4-${film.length - 1}/${film.length}` })
          .end(film.subarray(4));
      return response
        .writeHead(200, { 'content-type': at.startsWith('/cover') ? 'image/webp' : 'application/octet-stream' })
        .end(at.startsWith('/cover') ? 'RIFF' : film);
    });
    const { network } = internet;
    // A provider on this machine is one that the operator has chosen.
    const reach = (host: string, port: number) => (host === '127.0.0.1' ? connect({ host, port }) : network.connect(host, port));
    scene = await createVideoScene(embeddedEngine, { network: { ...network, connect: reach } });
    const prices = Object.fromEntries(rows.map(({ model }) => [model, 0.1]));
    await scene.set('ModelPrice', JSON.stringify(prices));
    await scene.set('VideoPrice', '{}');
  });
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await internet[Symbol.asyncDispose]();
  });

  it('are all tried here, but for OpenAI’s form, which has tests of its own', () => {
    const made = providers.filter(({ videos }) => videos !== undefined && videos !== 'sora').map(({ type }) => type);
    const ordered = (types: number[]) => types.toSorted((a, b) => a - b);
    expect(ordered(rows.map(({ type }) => type))).toEqual(ordered(made));
    expect(new Set(providers.flatMap(({ videos }) => videos ?? []))).toEqual(new Set(Object.keys(videoFormats)));
  });

  it('a picture that cannot be fetched: the list of tasks says so in its reader’s words, and what was ordered', async () => {
    await using upstream = await startFakeVideos(() => undefined);
    const model = 'veo-3.1-generate-preview';
    const channel = await scene.addChannel({ type: 24, models: model, base_url: upstream.url, key: 'AIza-key' });
    const customer = await scene.customer();
    const input_reference = { image_url: 'https://nowhere.example/a.png?sig=1' };
    const { status, body } = await customer.call('POST', '/v1/videos', { model, prompt, seconds: '6', size: '1280x720', input_reference });
    expect([status, body.error.code, upstream.visits.length]).toEqual([400, 'media_not_fetched', 0]);
    const owner = await scene.app.as(customer.user);
    const read = async (language: string) => {
      const reported = await owner.get('/api/task/self?platform=video', { headers: { 'accept-language': language } });
      expect(reported.data).toMatchObject([{ status: 'FAILURE', task_id: '', quota: 0, video: { seconds: 6, size: '1280x720' } }]);
      return z.array(z.object({ fail_reason: z.string() })).parse(reported.data)[0]?.fail_reason;
    };
    expect(await read('en')).toMatch(/^The file at https:\/\/nowhere\.example\/a\.png cannot be fetched: /);
    expect(await read('zh')).toMatch(/^无法下载 https:\/\/nowhere\.example\/a\.png：/);
    expect((await customer.call('GET', '/v1/videos')).body.data).toEqual([]);
    await scene.app.context.db.collection('channels').remove({ id: channel });
    await scene.app.context.channels.reload();
  });

  describe.each(rows)('type $type', (row) => {
    let upstream: FakeVideos;
    let state: State;
    let reply: { status?: number; body: unknown } | undefined;
    beforeAll(async () => {
      upstream = await startFakeVideos((visit) => {
        const { method, path: at } = visit;
        const [known = '', ...more] = row.requested.split(/(?<=\S+ \S+) /);
        if (`${method} ${at}` === known.replace('text2video', at.includes('image2video') ? 'image2video' : 'text2video')) {
          if (more.length > 0) expect(visit.body).toEqual(JSON.parse(more.join(' ')));
          return { body: row.reported(state) };
        }
        if (method === 'POST' && [row.text.path, row.drawn.path].includes(at)) return reply ?? { body: row.taken };
        return row.also?.(visit);
      });
      await scene.addChannel({ type: row.type, models: row.model, base_url: upstream.url, key: row.key, other: row.other ?? '' });
    });
    afterAll(async () => {
      await scene.app.context.db.collection('channels').remove({ type: row.type });
      await scene.app.context.channels.reload();
      await upstream[Symbol.asyncDispose]();
    });

    it.each(['/v1/videos', '/v1/video/generations'])('by %s: ordered, asked about, read', async (form) => {
      const customer = await scene.customer();
      state = 'waiting';
      reply = undefined;
      const size = { size: '1280x720' };
      const { status, body } = await customer.call('POST', form, { model: row.model, prompt, ...size });
      expect([status, body.status]).toEqual([200, 'queued']);
      const visit = upstream.visits.at(-1);
      expect(visit).toMatchObject({ method: 'POST', path: row.text.path, headers: { 'content-type': 'application/json', ...row.headers } });
      expect(visit?.body).toEqual(row.text.body);
      expect(await customer.balance()).toBe(start - row.seconds * 50_000);
      await scene.poll();
      expect((await customer.call('GET', `${form}/${body.id}`)).body.status).toMatch(/queued|in_progress/);
      state = 'done';
      await scene.poll();
      expect((await customer.call('GET', `${form}/${body.id}`)).body).toMatchObject({ status: 'completed', progress: 100 });
      const content = await customer.sdk.videos.downloadContent(body.id);
      expect([content.headers.get('content-type'), Buffer.from(await content.arrayBuffer())]).toEqual(['video/mp4', film]);
      // More than may be read at the same time: each gives its place back.
      for (let times = 0; times < 10; times += 1) await (await customer.sdk.videos.downloadContent(body.id)).arrayBuffer();
      const part = await fetch(`${scene.app.origin}/v1/videos/${body.id}/content`, {
        headers: { authorization: `Bearer ${customer.key}`, range: 'bytes=4-' },
      });
      if (row.isInside === true) {
        expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([200, film]);
      } else {
        expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-${film.length - 1}/${film.length}`]);
        expect(Buffer.from(await part.arrayBuffer())).toEqual(film.subarray(4));
      }
      // Anyone may host the URL: the channel's key is not sent there.
      expect(JSON.stringify(internet.visits.at(-1)?.headers)).not.toContain(row.key.split('|')[0]);
      await scene.app.context.db.collection('tasks').patchAll({ public_id: body.id }, { unset: ['accepted_key'] });
    });

    it('by Kling’s own paths: ordered, asked about, told where it is', async () => {
      const customer = await scene.customer();
      state = 'waiting';
      const requested = {
        model_name: row.model,
        prompt,
        mode: 'std',
        aspect_ratio: '16:9',
        duration: String(row.seconds),
        image: picture.base64,
      };
      const { image: _none, ...text } = requested;
      const taken = await customer.call('POST', '/kling/v1/videos/text2video', text);
      expect(taken).toMatchObject({ status: 200, body: { code: 0, message: 'SUCCEED', data: { task_status: 'submitted' } } });
      expect(upstream.visits.at(-1)?.body).toEqual(row.text.body);
      expect(await customer.balance()).toBe(start - row.seconds * 50_000);
      const { task_id: id } = taken.body.data;
      state = 'done';
      await scene.poll();
      const reported = (await customer.call('GET', `/kling/v1/videos/text2video/${id}`)).body.data;
      expect(reported).toMatchObject({ task_id: id, task_status: 'succeed', created_at: expect.any(Number) });
      expect(reported.task_result.videos).toEqual([{ id, url: expect.stringMatching(/^https?:/), duration: String(row.seconds) }]);
      await scene.app.context.db.collection('tasks').patchAll({ public_id: id }, { unset: ['accepted_key'] });
      const drawn = await customer.call('POST', '/kling/v1/videos/image2video', requested);
      expect(drawn.status).toBe(200);
      expect(upstream.visits.at(-1)?.body).toEqual(row.drawn.body);
      await scene.app.context.db.collection('tasks').patchAll({ public_id: drawn.body.data.task_id }, { unset: ['accepted_key'] });
    });

    it('by Jimeng’s own path: ordered, asked about, told where it is', async () => {
      const customer = await scene.customer();
      state = 'waiting';
      const call = (action: string, body: object) =>
        customer.call('POST', `/jimeng/?Action=CVSync2Async${action}&Version=2022-08-31`, body);
      const text = { req_key: row.model, prompt, frames: 24 * row.seconds + 1, aspect_ratio: '16:9', seed: -1 };
      const taken = await call('SubmitTask', text);
      expect(taken).toMatchObject({
        status: 200,
        body: { code: 10000, message: 'Success', data: { task_id: expect.stringMatching(/^video_/) } },
      });
      expect(upstream.visits.at(-1)?.body).toEqual(row.text.body);
      expect(await customer.balance()).toBe(start - row.seconds * 50_000);
      const { task_id } = taken.body.data;
      const requested = { req_key: row.model, task_id };
      expect((await call('GetResult', requested)).body).toMatchObject({ code: 10000, data: { status: 'in_queue' } });
      state = 'done';
      await scene.poll();
      const reported = (await call('GetResult', requested)).body;
      expect(reported).toMatchObject({ code: 10000, data: { task_id, status: 'done', video_url: expect.stringMatching(/^https?:/) } });
      const other = await scene.customer();
      expect(await other.call('POST', '/jimeng?Action=CVSync2AsyncGetResult', requested)).toMatchObject({
        status: 404,
        body: { code: 50218 },
      });
      await scene.app.context.db.collection('tasks').patchAll({ public_id: task_id }, { unset: ['accepted_key'] });
      const drawn = await call('SubmitTask', { ...text, binary_data_base64: [picture.base64] });
      expect(drawn.status).toBe(200);
      expect(upstream.visits.at(-1)?.body).toEqual(row.drawn.body);
      await scene.app.context.db.collection('tasks').patchAll({ public_id: drawn.body.data.task_id }, { unset: ['accepted_key'] });
    });

    it('with a picture, as a file and as data', async () => {
      const customer = await scene.customer();
      const form = new FormData();
      for (const [name, value] of Object.entries({ model: row.model, prompt, size: '1280x720' })) form.append(name, value);
      form.append('input_reference', new Blob([png], { type: 'image/png' }), 'a.png');
      const headers = { authorization: `Bearer ${customer.key}` };
      const asForm = await fetch(`${scene.app.origin}/v1/videos`, { method: 'POST', headers, body: form });
      expect(asForm.status).toBe(200);
      expect(upstream.visits.at(-1)?.path).toBe(row.drawn.path);
      expect(upstream.visits.at(-1)?.body).toEqual(row.drawn.body);
      await customer.call('POST', '/v1/video/generations', { model: row.model, prompt, size: '1280x720', image: picture.url });
      expect(upstream.visits.at(-1)?.body).toEqual(row.drawn.body);
      // The provider names a task that is paid for: it is the same.
      expect(await customer.balance()).toBe(start - row.seconds * 50_000);
    });

    it.each([
      ['failed', 'not allowed'],
      ['empty', 'The upstream said that it was done, but gave no video'],
    ] as const)('that is %s is given back, with the reason', async (ending, reason) => {
      const customer = await scene.customer();
      state = ending;
      const { body } = await customer.call('POST', '/v1/videos', { model: row.model, prompt });
      await scene.poll();
      const reported = await customer.call('GET', `/v1/videos/${body.id}`);
      expect(reported.body).toMatchObject({ status: 'failed', error: { code: 'video_generation_failed', message: reason } });
      expect(await customer.balance()).toBe(start);
    });

    it.each(row.refusals)('refuses with %j', async (answer, status, code) => {
      const customer = await scene.customer();
      reply = answer;
      await scene.set('AutomaticDisableChannelEnabled', 'false');
      const reported = await customer.call('POST', '/v1/videos', { model: row.model, prompt });
      reply = undefined;
      expect([reported.status, String(reported.body.error.code)]).toEqual([status, code]);
      // The provider's message, if it concerns the request.
      if (status === 400) expect(reported.body.error.message).toMatch(/not (?:allowed|safe|valid)|new_sensitive/);
      expect(await customer.balance()).toBe(start);
    });

    it.runIf(row.type !== 26)('a size that would be made as another one is refused before anybody is asked', async () => {
      const customer = await scene.customer();
      const before = upstream.visits.length;
      const { status, body } = await customer.call('POST', '/v1/videos', { model: row.model, prompt, size: '1282x721' });
      expect([status, body.error]).toMatchObject([400, { code: 'invalid_request', param: 'size' }]);
      expect(upstream.visits).toHaveLength(before);
    });
  });

  it('Kling’s own clients are refused in its words', async () => {
    const customer = await scene.customer({ quota: 1 });
    const upstream = await startFakeVideos(() => ({ body: { code: 1301, message: 'content is not safe' } }));
    const id = await scene.addChannel({ type: 50, models: 'kling-v2-6', base_url: upstream.url, key: 'ak1|sk1' });
    const ask = (fields: object, path = 'text2video') =>
      customer.call('POST', `/kling/v1/videos/${path}`, { model_name: 'kling-v2-6', prompt, ...fields });
    const refused = (status: number, code: number, message: string) => ({
      status,
      body: { code, message: expect.stringMatching(message), data: null },
    });
    expect(await ask({ duration: 'long' })).toMatchObject(refused(400, 1201, 'duration '));
    expect(await ask({ mode: 'cinema' })).toMatchObject(refused(400, 1201, 'mode '));
    expect(await ask({ callback_url: 'https://inside.example' })).toMatchObject(refused(400, 1201, 'callback_url '));
    expect(await ask({}, 'image2video')).toMatchObject(refused(400, 1201, 'image '));
    expect(await ask({})).toMatchObject(refused(403, 1103, ''));
    const rich = await scene.customer();
    const reported = await rich.call('POST', '/kling/v1/videos/text2video', { model_name: 'kling-v2-6', prompt });
    expect(reported).toMatchObject(refused(400, 1201, 'content is not safe'));
    expect(await rich.call('GET', '/kling/v1/videos/text2video/video_1')).toMatchObject(refused(404, 1203, 'video_1'));
    expect((await fetch(`${scene.app.origin}/kling/v1/videos/text2video/video_1`)).status).toBe(401);
    expect(await rich.balance()).toBe(start);
    await scene.app.context.db.collection('channels').remove({ id });
    await scene.app.context.channels.reload();
    await upstream[Symbol.asyncDispose]();
  });

  it('Veo at Vertex AI is asked at the host of the model’s region, and followed where it works', async () => {
    const other = '{"default":"europe-west4","fast":"us-central1"}';
    const channel = buildPreparedChannel({ type: 41, key: serviceAccount(), other });
    const order: VideoOrder = {
      model: 'veo-3.1-fast-generate-001',
      requestedModel: 'fast',
      prompt,
      seconds: 8,
      width: 1920,
      height: 1080,
      pictures: [],
      negativePrompt: undefined,
      seed: 7,
      hasSound: false,
    };
    const form = videoFormats['veo-vertex'];
    const requested = await form.order(order, channel);
    expect(`${requested.base}${requested.path}`).toBe(`https://us-central1-aiplatform.googleapis.com/v1/${atVertex}:predictLongRunning`);
    expect(JSON.parse(String(requested.body)).parameters).toMatchObject({ resolution: '1080p', generateAudio: false, seed: 7 });
    const question = form.question({ action: 'TEXT_TO_VIDEO', upstreamId: `${atVertex}/operations/op1`, model: 'other' }, channel);
    expect(`${question.base}${question.path}`).toBe(`https://us-central1-aiplatform.googleapis.com/v1/${atVertex}:fetchPredictOperation`);
    // An id is an address there: it leads nowhere else.
    for (const name of [`${atVertex}/operations/../x`, 'projects/p/locations/evil.example%2F/publishers/google/models/m/operations/o'])
      expect(form.readOrder({ name })).toBeNull();
    const older = { ...order, model: 'veo-2.0-generate-001' };
    await expect(async () => form.order(older, channel)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('a long video within an answer passes as it comes, and is not read to see that it is done', async () => {
    const long = Buffer.alloc(12 * 1024 * 1024, 'a film of some length, ');
    const name = `${atVertex}/operations/long`;
    const answer = JSON.stringify({ name, done: true, response: { videos: [{ bytesBase64Encoded: long.toString('base64') }] } });
    const upstream = await startFakeVideos(({ path: at }) =>
      at.endsWith(':predictLongRunning') ? { body: { name } } : { bytes: Buffer.from(answer), type: 'application/json; charset=UTF-8' },
    );
    const id = await scene.addChannel({
      type: 41,
      models: 'veo-3.1-fast-generate-001',
      base_url: upstream.url,
      key: 'AIza-long',
      other: 'us-central1',
    });
    const customer = await scene.customer();
    const { body } = await customer.call('POST', '/v1/videos', { model: 'veo-3.1-fast-generate-001', prompt });
    expect(body).toMatchObject({ status: 'queued' });
    await scene.poll();
    expect((await customer.call('GET', `/v1/videos/${body.id}`)).body.status).toBe('completed');
    const content = await customer.sdk.videos.downloadContent(body.id);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect(Buffer.from(await content.arrayBuffer()).equals(long)).toBe(true);
    const thumbnail = await fetch(`${scene.app.origin}/v1/videos/${body.id}/content?variant=thumbnail`, {
      headers: { authorization: `Bearer ${customer.key}` },
    });
    expect(thumbnail.status).toBe(404);
    await scene.app.context.db.collection('channels').remove({ id });
    await scene.app.context.channels.reload();
    await upstream[Symbol.asyncDispose]();
  });

  it('Jimeng’s own clients are refused in its words, and given back what failed', async () => {
    const customer = await scene.customer();
    const upstream = await startFakeVideos(({ path: at }) =>
      at.includes('SubmitTask')
        ? { body: { code: 10000, data: { task_id: 'jt9' } } }
        : { body: { code: 50413, message: 'not allowed', data: null } },
    );
    const id = await scene.addChannel({ type: 51, models: 'jimeng_t2v_v30', base_url: upstream.url, key: 'ak1|sk1' });
    const call = (action: string, fields: object) =>
      customer.call('POST', `/jimeng?Action=${action}`, { req_key: 'jimeng_t2v_v30', prompt, ...fields });
    const refused = (status: number, code: number, message: string) => ({
      status,
      body: { code, status: code, message: expect.stringContaining(message), data: null },
    });
    expect(await call('CVSync2AsyncSubmitTask', { frames: 100 })).toMatchObject(refused(400, 50215, 'frames'));
    expect(await call('CVSync2AsyncSubmitTask', { frames: 1 })).toMatchObject(refused(400, 50215, 'frames'));
    expect(await call('CVSync2AsyncSubmitTask', { req_key: 5 })).toMatchObject(refused(400, 50215, 'req_key'));
    expect(await call('CVSync2AsyncGetResult', {})).toMatchObject(refused(400, 50215, 'task_id'));
    expect(await call('CVSync2AsyncGetResult', { task_id: 'video_1' })).toMatchObject(refused(404, 50218, 'video_1'));
    expect(await call('CVProcess', {})).toMatchObject({ status: 501, body: { code: 50500 } });
    expect(await customer.balance()).toBe(start);
    const { body } = await call('CVSync2AsyncSubmitTask', {});
    await scene.poll();
    const reported = await call('CVSync2AsyncGetResult', { task_id: body.data.task_id });
    expect(reported.body).toMatchObject({ code: 50500, message: 'not allowed', data: null });
    expect(await customer.balance()).toBe(start);
    await scene.app.context.db.collection('channels').remove({ id });
    await scene.app.context.channels.reload();
    await upstream[Symbol.asyncDispose]();
  });

  it('what the provider would read out of a prompt does not make another video of it', async () => {
    const order = await videoFormats.ark.order(
      {
        model: 'm',
        requestedModel: 'm',
        prompt: 'a boat --dur 12 --rs 1080p -- ratio 21:9 --resolution=1080p sails --well',
        seconds: 5,
        width: 1280,
        height: 720,
        pictures: [],
        negativePrompt: undefined,
        seed: undefined,
        hasSound: undefined,
      },
      buildPreparedChannel({ type: 45, key: 'k' }),
    );
    const body = JSON.parse(String(order.body));
    expect(body.content[0].text.replace(/\s+/g, ' ')).toBe('a boat sails --well');
    expect(body).toMatchObject({ duration: 5, resolution: '720p' });
  });

  it.each([
    ['is read with its key', undefined, 200],
    ['sends on to an address without the key', address, 200],
    ['does not send on to an address inside', 'https://10.0.0.1/x.mp4', 502],
    ['does not send on to itself in the clear', 'http://127.0.0.1:1/x.mp4', 502],
  ] as const)('a video at the provider’s own address %s', async (_what, location, status) => {
    const name = 'models/veo-3.1-generate-preview/operations/own';
    const own = '/v1beta/files/x:download?alt=media';
    const upstream = await startFakeVideos(({ method, path: at }) => {
      if (method === 'POST') return { body: { name } };
      if (at !== own)
        return {
          body: {
            name,
            done: true,
            response: { generateVideoResponse: { generatedSamples: [{ video: { uri: `${upstream.url}${own}` } }] } },
          },
        };
      return location === undefined
        ? { bytes: film, type: 'video/mp4' }
        : { bytes: Buffer.alloc(0), type: 'text/plain', status: 302, location };
    });
    const id = await scene.addChannel({ type: 24, models: 'veo-3.1-generate-preview', base_url: upstream.url, key: 'AIza-own' });
    const customer = await scene.customer();
    const { body } = await customer.call('POST', '/v1/videos', { model: 'veo-3.1-generate-preview', prompt });
    expect(body).toMatchObject({ status: 'queued' });
    await scene.poll();
    // Only the owner can use that URL.
    const listed = await (await scene.app.as(customer.user)).get('/api/task/self?platform=video');
    expect(listed.data[0].video.url).toBe('');
    const before = internet.visits.length;
    const response = await fetch(`${scene.app.origin}/v1/videos/${body.id}/content`, {
      headers: { authorization: `Bearer ${customer.key}` },
    });
    expect(response.status).toBe(status);
    if (status === 200) expect(Buffer.from(await response.arrayBuffer())).toEqual(film);
    expect(upstream.visits.at(-1)).toMatchObject({ path: own, headers: { 'x-goog-api-key': 'AIza-own' } });
    const further = internet.visits.slice(before);
    expect(further).toHaveLength(location === address ? 1 : 0);
    expect(JSON.stringify(further)).not.toContain('AIza');
    await scene.app.context.db.collection('channels').remove({ id });
    await scene.app.context.channels.reload();
    await upstream[Symbol.asyncDispose]();
  });

  it.each([
    ['a private address', 'https://10.0.0.1/x.mp4'],
    ['the address of cloud metadata', 'https://169.254.169.254/x.mp4'],
    ['no TLS', `http://${publicName}/x.mp4`],
  ])('a video at %s is not fetched', async (_what, url) => {
    const upstream = await startFakeVideos(({ method }) =>
      method === 'POST' ? { body: { id: `cgt-${url.length}` } } : { body: { status: 'succeeded', content: { video_url: url } } },
    );
    const id = await scene.addChannel({ type: 54, models: 'doubao-seedance-1-0-pro-250528', base_url: upstream.url });
    const customer = await scene.customer();
    const { body } = await customer.call('POST', '/v1/videos', { model: 'doubao-seedance-1-0-pro-250528', prompt });
    await scene.poll();
    const before = internet.connections.length;
    const content = await customer.call('GET', `/v1/videos/${body.id}/content`);
    expect(content).toMatchObject({ status: 502, body: { error: { code: 'do_request_failed' } } });
    expect(internet.connections).toHaveLength(before);
    await scene.app.context.db.collection('channels').remove({ id });
    await scene.app.context.channels.reload();
    await upstream[Symbol.asyncDispose]();
  });
});

const Vectors = z.array(
  z.object({
    name: z.string(),
    channel: z.object({ type: z.int(), key: z.string() }),
    request: z.object({ body: z.object({ model: z.string(), prompt: z.string() }) }),
    upstream: z.object({
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.record(z.string(), z.unknown()).optional(),
      body_raw: z.string().optional(),
    }),
    upstream_response: z.object({ body: z.unknown() }),
    task_id: z.string(),
  }),
);
const vectors = Vectors.parse(JSON.parse(readFileSync(new URL('../fixtures/provider-vectors/later-video.json', import.meta.url), 'utf8')));

describe('vectors', () => {
  const now = 1_700_000_000_000;
  const sender = { send: () => Promise.reject(new Error('nobody is asked')) } as never;

  it.each(vectors)('$name', async ({ channel: { type, key }, request, upstream, upstream_response: answer, task_id }) => {
    const channel = buildPreparedChannel({ type, key, base_url: '' });
    const form = videoFormats[type === 50 ? 'kling' : 'jimeng'];
    const order: VideoOrder = {
      ...request.body,
      requestedModel: '',
      seconds: 5,
      width: 1280,
      height: 720,
      pictures: [],
      negativePrompt: undefined,
      seed: undefined,
      hasSound: undefined,
    };
    const question = await form.order(order, channel);
    const { body_raw: raw, url, headers } = upstream;
    const requested = raw === undefined ? question : { ...question, body: Buffer.from(raw) };
    const { host, ...reported } = headers;
    const plain = questionRequest(channel, requested, new URL(`${channel.base}${requested.path}`));
    const signed = await channel.authorize(plain, { now, sender });
    expect(`${signed.origin}${signed.path}`).toBe(url);
    expect(host ?? new URL(url).host).toBe(new URL(signed.origin).host);
    expect(signed.headers).toMatchObject(reported);
    if (upstream.body !== undefined)
      expect(JSON.parse(String(question.body))).toEqual({ ...upstream.body, aspect_ratio: expect.any(String) });
    expect(form.readOrder(answer.body)).toEqual({ id: task_id });
  });

  it('a gateway’s key goes as it is, below its prefix', async () => {
    const channel = buildPreparedChannel({ type: 50, key: 'sk-gateway', base_url: 'https://gateway.example' });
    const question = videoFormats.kling.question({ action: 'TEXT_TO_VIDEO', upstreamId: 'a/b', model: 'm' }, channel);
    expect(question.path).toBe('/kling/v1/videos/text2video/a%2Fb');
    expect(channel.headers['authorization']).toBe('Bearer sk-gateway');
  });

  it.each([
    [50, 'half|'],
    [50, 'a|b|c'],
    [51, 'half'],
    [51, '|b'],
  ])('type %i says what is wrong with the key %s', (type, key) => {
    expect(problemText(buildPreparedChannel({ type, key }))).toMatch(/The key must have the form .*AccessKey/);
  });

  it('a name of an operation that is another path is none', () => {
    for (const name of ['../../secrets', 'models/x/operations/../../y', 'operations/1', 'models/a/operations/b?c'])
      expect(videoFormats.veo.readOrder({ name })).toBeNull();
  });
});
