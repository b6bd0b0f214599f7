import { describe, expect, test } from 'vitest';
import type { Drawing } from '#shared/drawings.ts';
import { buildDrawing, buildMusic } from '#tests/support/console-records.ts';
import { clipsOf, lyricsOf } from './clips.ts';
import { drawingButtons } from './drawing-buttons.ts';
import { drawingPicture } from './pictures.ts';
import { durationOf, isSlow, isUnfinished, rowOfDrawing, rowOfTask } from './task-row.ts';

const picture = (fields: Partial<Drawing>) => drawingPicture(buildDrawing(fields));

describe('pictures', () => {
  test('this site’s copy is asked for here, whatever the server calls itself', () => {
    expect(picture({ mj_id: '17', image_url: 'http://localhost:3000/mj/image/17' })).toBe('/mj/image/17');
    expect(picture({ mj_id: 'a/b', image_url: 'https://gate.example/mj/image/a%2Fb' })).toBe('/mj/image/a%2Fb');
  });

  test('one that is being drawn has an address for each step', () => {
    const half = { mj_id: '17', image_url: '/mj/image/17', status: 'IN_PROGRESS', progress: '43%' };
    expect(picture(half)).toBe('/mj/image/17?progress=43%25');
    expect(picture({ ...half, status: 'SUCCESS', progress: '100%' })).toBe('/mj/image/17');
  });

  test('elsewhere only https counts', () => {
    expect(picture({ image_url: 'https://cdn.example/a.png?x=1' })).toBe('https://cdn.example/a.png?x=1');
    for (const bad of [
      'http://cdn.example/a.png',
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      '//cdn.example/a.png',
      'https:/\\',
      '',
    ])
      expect(picture({ image_url: bad }), bad).toBeUndefined();
  });

  test('a copy of another drawing is no picture of this one', () => {
    expect(picture({ mj_id: '17', image_url: '/mj/image/18' })).toBeUndefined();
    expect(picture({ mj_id: '', image_url: '/mj/image/' })).toBeUndefined();
  });
});

describe('rows', () => {
  test('a video has its length and size, and once it is done an address of this site alone', () => {
    const video = {
      model: 'tide-video',
      seconds: 8,
      size: '1280x720',
      url: 'https://cdn.example/a.mp4',
      poster: 'https://cdn.example/a.webp',
    };
    const done = buildMusic({ id: 7, platform: 'video', action: 'TEXT_TO_VIDEO', status: 'SUCCESS', data: null, video });
    const row = rowOfTask(done);
    expect(row).toMatchObject({ kind: 'video', picture: '/pg/tasks/7/content?variant=thumbnail', clips: [], lyrics: '' });
    expect(row.video).toEqual({ model: 'tide-video', seconds: 8, size: '1280×720', source: '/pg/tasks/7/content' });
    expect(rowOfTask({ ...done, video: { ...video, url: '', poster: '' } })).toMatchObject({
      picture: undefined,
      video: { source: '/pg/tasks/7/content' },
    });
    expect(rowOfTask({ ...done, status: 'IN_PROGRESS' })).toMatchObject({ picture: undefined, video: { source: undefined } });
  });

  test('a drawing’s times are milliseconds, music’s are seconds, and both take as long as they took', () => {
    expect(durationOf(rowOfDrawing(buildDrawing({ submit_time: 1_790_000_000_500, finish_time: 1_790_000_038_000 })))).toBe(37_500);
    const slow = durationOf(rowOfTask(buildMusic({ submit_time: 1_790_000_000, finish_time: 1_790_000_061 }))) ?? 0;
    expect(slow).toBe(61_000);
    expect(isSlow(slow)).toBe(true);
    expect(isSlow(60_000)).toBe(false);
  });

  test('what has not ended, or ended before it began, has no duration', () => {
    expect(durationOf(rowOfDrawing(buildDrawing({ finish_time: 0 })))).toBeUndefined();
    expect(durationOf(rowOfDrawing(buildDrawing({ submit_time: 1_790_000_000_000, finish_time: 1_700_000_000_000 })))).toBeUndefined();
    expect(durationOf(rowOfDrawing(buildDrawing({ submit_time: 0 })))).toBeUndefined();
  });

  test.each([
    ['', 'queued', true],
    ['NOT_START', 'queued', true],
    ['SUBMITTED', 'queued', true],
    ['QUEUED', 'queued', true],
    ['IN_PROGRESS', 'running', true],
    ['MODAL', 'asking', true],
    ['UNKNOWN', 'unknown', true],
    ['something new', 'unknown', true],
    ['SUCCESS', 'done', false],
    ['FAILURE', 'failed', false],
  ])('%s is %s', (status, standing, unfinished) => {
    const row = rowOfDrawing(buildDrawing({ status, progress: '30%' }));
    expect(row.standing).toBe(standing);
    expect(isUnfinished(row)).toBe(unfinished);
  });

  test('nobody waits for what is at its end', () => {
    expect(isUnfinished(rowOfTask(buildMusic({ status: 'UNKNOWN', progress: '100%' })))).toBe(false);
  });

  test.each([
    ['43%', 43],
    ['43.7%', 43],
    ['7', 7],
    ['140%', 100],
    ['', undefined],
    ['soon', undefined],
    ['-3%', undefined],
  ])('progress %j is %j', (progress, percent) => {
    expect(rowOfDrawing(buildDrawing({ progress })).percent).toBe(percent);
  });

  test('music is called by its first title', () => {
    expect(rowOfTask(buildMusic({ data: [{ title: '' }, { title: 'Tide' }] })).title).toBe('Tide');
    expect(rowOfTask(buildMusic({ action: 'LYRICS', data: { title: 'Ferry', text: 'words' } }))).toMatchObject({
      title: 'Ferry',
      lyrics: 'words',
      clips: [],
    });
  });
});

describe('what an upstream sends of music', () => {
  test('clips keep what may be played and shown', () => {
    const [clip] = clipsOf(
      [
        {
          id: 'one',
          title: 'Tide',
          audio_url: 'https://cdn.example/a.mp3',
          image_url: 'http://cdn.example/a.png',
          image_large_url: 'https://cdn.example/large.png',
          video_url: 'javascript:alert(1)',
          metadata: { duration: 187.4, tags: 'slow', prompt: 'la' },
        },
      ],
      'a/b',
    );
    expect(clip).toEqual({
      id: 'one',
      title: 'Tide',
      audio: 'https://cdn.example/a.mp3',
      video: undefined,
      cover: '/suno/image/a%2Fb/0',
      seconds: 187.4,
      tags: 'slow',
      lyrics: 'la',
    });
  });

  test.each([null, 'text', 7, [], [null, 7, 'x'], {}, { text: 'only lyrics' }])('%j has no clips', (data) => {
    expect(clipsOf(data, 'id')).toEqual([]);
  });

  test('covers come from this site, by their place in what the upstream sent', () => {
    const covers = clipsOf(
      [{ image_url: 'https://cdn.example/a.png' }, 7, { image_url: 'javascript:alert(1)' }, { image_url: 'https://b.example/b' }],
      'id',
    );
    expect(covers.map(({ cover }) => cover)).toEqual(['/suno/image/id/0', undefined, '/suno/image/id/3']);
    expect(clipsOf([{ image_url: 'https://cdn.example/a.png' }], '')).toMatchObject([{ cover: undefined }]);
  });

  test('wrong kinds count as absent', () => {
    expect(clipsOf([{ id: 7, title: null, metadata: 'none', duration: 'long' }], 'id')).toMatchObject([
      { id: '', title: '', audio: undefined, seconds: undefined },
    ]);
    expect(lyricsOf({ text: 7, title: [] })).toEqual({ text: '', title: '' });
    expect(lyricsOf(null)).toEqual({ text: '', title: '' });
  });
});

describe('buttons', () => {
  test('are named by sign and label', () => {
    expect(
      drawingButtons('[{"customId":"a","emoji":"","label":"U1"},{"customId":"b","emoji":"🔄","label":""},{"customId":"c"},{"label":""},7]'),
    ).toEqual([
      { label: 'U1', customId: 'a' },
      { label: '🔄', customId: 'b' },
      { label: 'c', customId: 'c' },
    ]);
  });

  test.each(['', 'null', '{}', '[', '"x"'])('%j offers nothing', (text) => {
    expect(drawingButtons(text)).toEqual([]);
  });
});
