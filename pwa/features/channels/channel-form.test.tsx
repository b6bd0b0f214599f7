import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Channel } from '#shared/channels.ts';
import { buildConsoleChannel } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { type Requested, type FixtureServer, holdChange, sendJson, startFixtureServer } from '#tests/support/console-server.ts';
import { ChannelForm } from './channel-form.tsx';

const stored = buildConsoleChannel();

let server: FixtureServer;
let screen: DrawnScreen;
let created: number[][];
let modelsByType: Record<string, string[]>;
/** What the server answers to an edit, a creation or a test, in turn. */
let answers: Record<'edit' | 'create' | 'test', object[]>;

const controls = {
  actions: {
    busyId: undefined,
    setStatus: () => Promise.reject(new Error('unused')),
    setNumber: () => Promise.reject(new Error('unused')),
    remove: () => Promise.reject(new Error('unused')),
    removeDisabled: () => Promise.reject(new Error('unused')),
    copy: () => Promise.resolve(undefined),
    refresh: () => Promise.resolve(),
    offerToEnable: () => {},
    setMany: () => Promise.reject(new Error('unused')),
    setTag: () => Promise.resolve(),
    repair: () => Promise.resolve(0),
    updateBalance: () => Promise.reject(new Error('unused')),
    askingBalanceOf: undefined,
  },
  tests: { test: () => Promise.resolve({ state: 'ok', seconds: 1 } as const), resultOf: () => undefined, subscribe: () => () => {} },
  figures: { of: () => undefined, since: 0, at: 0, isStale: false },
  runs: {
    runs: undefined,
    active: undefined,
    ended: undefined,
    putAway: () => {},
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    isStopping: false,
  },
  isOpenGone: false,
  onCommand: () => {},
  onDelete: () => {},
};

beforeAll(async () => {
  await startScreenTexts('channels', 'channel', 'editing');
  server = await startFixtureServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requested.length = 0;
  created = [];
  modelsByType = {};
  answers = { edit: [], create: [], test: [] };
  server.answer((requested, response) => {
    const kind = kindOf(requested);
    const answer =
      kind === undefined
        ? { success: true, message: '', data: requested.url.includes('models') ? modelsByType : [] }
        : answers[kind].shift();
    sendJson(response, answer ?? { success: false, message: `unexpected ${requested.method} ${requested.url}` });
  });
});
afterEach(() => screen.leave());

function kindOf({ method, url }: Requested): 'edit' | 'create' | 'test' | undefined {
  if (method === 'PUT') return 'edit';
  if (method !== 'POST') return undefined;
  return url.includes('test') ? 'test' : 'create';
}
const sent = (kind: 'edit' | 'create' | 'test') =>
  server.requested.filter((requested) => kindOf(requested) === kind).map(({ body }) => body);

function open(channel: Channel | undefined): void {
  screen = drawScreen(
    <ChannelForm
      channel={channel}
      row={channel}
      controls={controls}
      onClose={() => {}}
      onCreated={(ids) => created.push(ids)}
      onPrevious={undefined}
      onNext={undefined}
    />,
  );
}
const conflict = (theirs: Partial<Channel>) => ({
  success: false,
  message: 'changed meanwhile',
  code: 'revision_conflict',
  data: { ...stored, ...theirs },
});

describe('channel-form', () => {
  test('sends what was changed, and nothing else', async () => {
    open(stored);
    answers.edit.push({ success: true, message: '', data: { ...stored, name: 'west', revision: 4 } });
    await shows(() => screen.type('Name', 'west'));
    expect(screen.text()).toContain('1 unsaved');
    screen.press('Save');
    await shows(() => expect(sent('edit')).toEqual([{ id: 7, revision: 3, name: 'west' }]));
    await shows(() => expect(screen.text()).not.toContain('unsaved'));
  });

  test('what is typed while a save is on its way is an edit of what was saved', async () => {
    const answer = { success: true, message: '', data: { ...stored, name: 'west', revision: stored.revision + 1 } };
    const read = (url: string) => (url.includes('models') ? {} : []);
    const call = holdChange(server, { read, answer, later: { ...answer, data: { ...stored, revision: stored.revision + 2 } } });
    open(stored);
    await shows(() => screen.type('Name', 'west'));
    screen.press('Save');
    await shows(() => expect(call.isRequested()).toBe(true));
    screen.type('Name', 'west 2');
    call.release();
    await shows(() => {
      screen.press('Save');
      expect(sent('edit')).toHaveLength(2);
    });
    expect(sent('edit')[1]).toEqual({ id: stored.id, name: 'west 2', revision: stored.revision + 1 });
  });

  test('a channel that a file manages is read only, and names the file; its status may be left to the console', async () => {
    open({ ...stored, managed_by: 'gateway/channels.yaml', managed_left: ['status'] });
    await shows(() => expect(screen.field('Name').closest('fieldset')?.disabled).toBe(true));
    expect(screen.text()).toContain('Managed by the file gateway/channels.yaml');
    expect(screen.field('Base URL').closest('fieldset')?.disabled).toBe(true);
    expect(() => screen.button('Save')).toThrow('no button');
    expect(screen.button('Disable').disabled).toBe(false);
    screen.leave();
    open({ ...stored, managed_by: 'gateway/channels.yaml', managed_left: [] });
    expect(() => screen.button('Disable')).toThrow('no button');
  });

  test('a refusal stands at the field it is about', async () => {
    open(stored);
    answers.edit.push({ success: false, message: 'that name is taken', code: 'invalid_field', field: 'name' });
    await shows(() => screen.type('Name', 'west'));
    screen.press('Save');
    await shows(() => expect(screen.problem('Name')).toBe('that name is taken'));
  });

  test('what is wrong is told before anything is sent', async () => {
    open(stored);
    await shows(() => screen.type('Name', ' '));
    screen.type('Base URL', 'ftp://example.com');
    screen.press('Save');
    expect(screen.problem('Name')).not.toBe('');
    expect(screen.problem('Base URL')).not.toBe('');
    expect(sent('edit')).toEqual([]);
  });

  test('a JSON text is judged by what the field holds, before anything is sent', async () => {
    open(stored);
    await shows(() => screen.press('Redirects, overrides and more'));
    screen.type('Status code override', '{"404":200}');
    screen.type('Extra settings', '{"proxy":"127.0.0.1"}');
    screen.press('Save');
    await shows(() => expect(screen.problem('Status code override')).toBe('Each value must be a status from 400 to 599'));
    expect(screen.problem('Extra settings')).toContain('socks5://');
    expect(sent('edit')).toEqual([]);
  });

  test('an edit goes on when nothing that the form holds was changed by others', async () => {
    open(stored);
    answers.edit.push(conflict({ status: 2, revision: 9 }), {
      success: true,
      message: '',
      data: { ...stored, name: 'west', revision: 10 },
    });
    await shows(() => screen.type('Name', 'west'));
    screen.press('Save');
    await shows(() =>
      expect(sent('edit')).toEqual([
        { id: 7, revision: 3, name: 'west' },
        { id: 7, revision: 9, name: 'west' },
      ]),
    );
    await shows(() => expect(screen.text()).not.toContain('unsaved'));
  });

  test('what others changed in the form is shown, and kept on request', async () => {
    open(stored);
    answers.edit.push(conflict({ name: 'north', tag: 'eu', revision: 9 }), {
      success: true,
      message: '',
      data: { ...stored, name: 'west', tag: 'eu', revision: 10 },
    });
    await shows(() => screen.type('Name', 'west'));
    screen.press('Save');
    await shows(() => expect(document.querySelector('[role=alert]')?.textContent).toContain('north'));
    screen.press('Save my changes');
    await shows(() => expect(sent('edit').at(-1)).toEqual({ id: 7, revision: 9, name: 'west' }));
    await shows(() => expect(document.querySelector('[role=alert]')).toBeNull());
    expect(screen.field('Tag').value).toBe('eu');
  });

  test('what others changed replaces what was typed, on request', async () => {
    open(stored);
    answers.edit.push(conflict({ name: 'north', revision: 9 }));
    await shows(() => screen.type('Name', 'west'));
    screen.press('Save');
    await shows(() => screen.press('Drop mine, load the latest'));
    expect(screen.field('Name').value).toBe('north');
    expect(document.querySelector('[role=alert]')).toBeNull();
    expect(sent('edit')).toHaveLength(1);
  });

  describe('of a new channel', () => {
    async function fill(): Promise<void> {
      modelsByType = { 1: ['gpt-4o'] };
      open(undefined);
      screen.type('Name', 'new one');
      screen.type('Key', 'sk-1');
      // The models of its type are proposed.
      await shows(() => expect(screen.text()).toContain('Models 1'));
    }

    async function choose(type: string): Promise<void> {
      screen.field('Type').click();
      const option = () => [...document.querySelectorAll<HTMLElement>('[role=option]')].find(({ textContent }) => textContent === type);
      await shows(() => expect(option()).toBeDefined());
      option()?.click();
      await shows(() => expect(screen.field('Type').value).toBe(type));
    }

    test('offers models of other types to who looks for one, and lies over nothing else', async () => {
      modelsByType = { 1: ['gpt-4o'], 14: ['claude-opus-5'] };
      open(undefined);
      await shows(() => expect(screen.text()).toContain('Models 1'));
      const options = () => [...document.querySelectorAll('[role=option]')].map(({ textContent }) => textContent);
      screen.field('Models').focus();
      screen.field('Models').click();
      expect(options()).not.toContain('claude-opus-5');
      screen.type('Models', 'claude');
      await shows(() => expect(options()).toContain('claude-opus-5'));
    });

    test('says what its key has to be while it is typed, and what is wrong with it', async () => {
      await fill();
      await choose('Tencent Hunyuan');
      const forms = 'AppId|SecretId|SecretKey or SecretId|SecretKey';
      expect(screen.text()).toContain(`Format: ${forms}`);
      screen.press('Create');
      await shows(() => expect(screen.problem('Key')).toBe(`The key must have the form ${forms}`));
      expect(screen.text()).toContain(`Format: ${forms}`);
      screen.type('Key', 'id|secret\n\nid|secret\napp|id|secret\nsk-1\nsk-2');
      screen.press('Create 4 channels');
      await shows(() => expect(screen.problem('Key')).toBe(`Key 3: The key must have the form ${forms}`));
      expect(sent('test')).toEqual([]);
      await choose('Volcengine Ark, Doubao');
      expect(screen.text()).toContain('For speech: AppId|AccessToken of Doubao Voice');
      // The same provider, and videos alone.
      await choose('Doubao Seedance');
      expect(screen.text()).toContain('An API key of Ark');
      expect(screen.text()).not.toContain('For speech');
    });

    test('types whose service has ended are offered last, under a heading, with the successor', async () => {
      await fill();
      screen.field('Type').click();
      const groups = () => [...document.querySelectorAll<HTMLElement>('[role=listbox] [role=group]')];
      await shows(() => expect(groups()).toHaveLength(1));
      const heading = groups()[0]?.getAttribute('aria-labelledby') ?? '';
      expect(document.getElementById(heading)?.textContent).toBe('Service has ended');
      const ended = [...(groups()[0]?.querySelectorAll('[role=option]') ?? [])].map(({ textContent }) => textContent);
      expect(ended.toSorted()).toEqual(['Google PaLM2', 'Sora', 'Tencent Hunyuan', 'Zhipu ChatGLM']);
      const all = [...document.querySelectorAll('[role=option]')].map(({ textContent }) => textContent);
      expect(all.slice(-ended.length)).toEqual(ended);
      await choose('Zhipu ChatGLM');
      expect(screen.text()).toContain('choose Zhipu GLM-4V');
    });

    test('says nothing of edits before somebody made one', async () => {
      modelsByType = { 1: ['gpt-4o'] };
      open(undefined);
      await shows(() => expect(screen.text()).toContain('Models 1'));
      expect(screen.text()).not.toContain('Not saved yet');
      screen.type('Name', 'new one');
      await shows(() => expect(screen.text()).toContain('Not saved yet'));
    });

    test('wants a name, a key and models', () => {
      open(undefined);
      screen.press('Create');
      expect(screen.problem('Name')).not.toBe('');
      expect(screen.problem('Key')).not.toBe('');
      expect(screen.problem('Models')).not.toBe('');
      expect(sent('test')).toEqual([]);
    });

    test('is created once it has answered', async () => {
      await fill();
      answers.test.push({ success: true, message: '', time: 0.5 });
      answers.create.push({ success: true, message: '', data: [12] });
      screen.press('Create');
      await shows(() => expect(created).toEqual([[12]]));
      expect(sent('create')).toMatchObject([{ name: 'new one', key: 'sk-1', models: 'gpt-4o' }]);
    });

    test('that only takes orders is created at once: a test would be one', async () => {
      modelsByType = { 1: ['gpt-4o'], 52: ['viduq2'] };
      open(undefined);
      await shows(() => expect(screen.text()).toContain('Models 1'));
      await choose('Vidu');
      screen.type('Name', 'films');
      screen.type('Key', 'sk-1');
      await shows(() => expect(screen.text()).toContain('viduq2'));
      answers.create.push({ success: true, message: '', data: [12] });
      screen.press('Create');
      await shows(() => expect(created).toEqual([[12]]));
      expect(sent('test')).toEqual([]);
    });

    test('that does not answer is created only when one insists', async () => {
      await fill();
      answers.test.push({ success: false, message: 'status code 401: no such key', code: 'channel_test_failed', time: 0.1 });
      answers.create.push({ success: true, message: '', data: [12] });
      screen.press('Create');
      await shows(() => expect(screen.text()).toContain('no such key'));
      expect(screen.text()).toContain('The provider refuses the key.');
      expect(sent('create')).toEqual([]);
      screen.press('Create anyway');
      await shows(() => expect(created).toEqual([[12]]));
    });
  });
});
