import i18next from 'i18next';
import { beforeAll, expect, test } from 'vitest';
import type { LogEvent } from '#shared/log-event.ts';
import { type Log, LogType } from '#shared/logs.ts';
import { drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { useLogSentence } from './log-sentence.ts';

beforeAll(() => startScreenTexts('logs', 'settings'));

function Sentence({ log }: { log: Log }) {
  const sentence = useLogSentence([log])(log);
  return <p aria-busy={sentence === undefined}>{sentence}</p>;
}

function logOf(event: LogEvent): Log {
  return {
    id: 1,
    user_id: 1,
    created_at: 1_770_000_000,
    type: LogType.management,
    content: '',
    username: 'harbour',
    token_name: '',
    token_id: 0,
    model_name: '',
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel: 0,
    channel_name: '',
    group: '',
    request_id: '',
    other: JSON.stringify({ event }),
  };
}

function said(event: LogEvent): string {
  const log = logOf(event);
  const screen = drawScreen(<Sentence log={log} />);
  const text = document.querySelector('p')?.textContent ?? '';
  screen.leave();
  return text;
}

test('a changed setting is told by its name on the screen, from what to what', () => {
  const changes = [
    { key: 'RetryTimes', before: '3', after: '2' },
    { key: 'RegisterEnabled', before: 'true', after: 'false' },
    { key: 'ModelRatio', name: 'gpt-4o', after: '1.25' },
  ];
  expect(said({ code: 'settings_changed', keys: 'RetryTimes, RegisterEnabled, ModelRatio', changes, more: 2 })).toMatchInlineSnapshot(
    `"Retries per failed call: 3 → 2; Allow registration: On → Off; Model ratio · gpt-4o: (none) → 1.25; 2 more"`,
  );
});

test('an amount is told as money', () => {
  const changes = [{ key: 'QuotaForNewUser', before: '281000', after: '290000' }];
  expect(said({ code: 'settings_changed', keys: 'QuotaForNewUser', changes })).toContain('$0.56 → $0.58');
});

test('a ratio is told with as many digits as anybody reads', () => {
  const changes = [{ key: 'CacheRatio', name: 'gpt-4o', before: '0.5', after: '0.454545454545' }];
  expect(said({ code: 'settings_changed', keys: 'CacheRatio', changes })).toContain('0.5 → 0.454545');
  expect(said({ code: 'settings_changed', keys: 'CacheRatio', changes })).not.toContain('0.4545454');
});

test('a secret is told without its value, and rows of earlier versions by the names alone', () => {
  expect(said({ code: 'settings_changed', keys: 'SMTPToken', changes: [{ key: 'SMTPToken', is_secret: true }] })).toMatchInlineSnapshot(
    `"Replaced SMTP credential"`,
  );
  expect(said({ code: 'settings_changed', keys: 'RetryTimes, not.a.setting' })).toMatchInlineSnapshot(
    `"Changed settings: Retries per failed call, not.a.setting"`,
  );
});

test('a setting is never told by its key while the texts that name it are loaded', async () => {
  i18next.removeResourceBundle('en', 'settings');
  delete i18next.services.backendConnector.state['en|settings'];
  const screen = drawScreen(<Sentence log={logOf({ code: 'settings_changed', keys: 'QuotaForNewUser' })} />);
  const place = document.querySelector('p');
  expect(place?.getAttribute('aria-busy')).toBe('true');
  expect(place?.textContent).toBe('');
  await shows(() => expect(place?.textContent).toBe('Changed settings: Initial quota for new users'));
  expect(place?.getAttribute('aria-busy')).toBe('false');
  screen.leave();
});
