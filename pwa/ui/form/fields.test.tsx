import { useState } from 'react';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { jsonFault, JsonField } from './json-field.tsx';
import { momentOf, momentText } from './moment-text.ts';
import { QuotaInput } from './quota-input.tsx';
import { SecretField } from './secret-field.tsx';

let screen: DrawnScreen;
beforeAll(() => startScreenTexts());
afterEach(() => screen.leave());

/** Renders a field in a form and records every value that the field reports. */
function hold<Value>(first: Value, field: (value: Value, onChange: (value: Value) => void) => React.ReactNode): Value[] {
  const reported: Value[] = [];
  function Holder() {
    const [value, setValue] = useState(first);
    return field(value, (next) => {
      reported.push(next);
      setValue(() => next);
    });
  }
  screen = drawScreen(<Holder />);
  return reported;
}

describe('quota-input', () => {
  const open = (first: number | '', fields: object = {}) =>
    hold<number | ''>(first, (value, onChange) => <QuotaInput label="Grant" value={value} onChange={onChange} {...fields} />);

  test('dollars are typed, whole units go out, and the other amount stands below', () => {
    const reported = open(500_000);
    expect(screen.field('Grant').value).toBe('1');
    expect(screen.text()).toContain('= 500,000 quota');
    screen.type('Grant', '2.5');
    expect(reported).toEqual([1_250_000]);
    expect(screen.text()).toContain('= 1,250,000 quota');
  });

  test.each([
    ['0.000001', 1],
    ['0.000002', 1],
    ['0.000003', 2],
    ['1234.567891', 617_283_946],
    ['0.1', 50_000],
  ])('%s dollars are %d units, without a remainder', (typed, units) => {
    const reported = open('');
    screen.type('Grant', typed);
    expect(reported.at(-1)).toBe(units);
  });

  test('in units what is typed is what goes out, and dollars stand below', async () => {
    const reported = open(500_000);
    document.querySelector<HTMLInputElement>('input[value=units]')?.click();
    await shows(() => expect(screen.field('Grant').value).toBe('500,000'));
    screen.type('Grant', '750000');
    expect(reported).toEqual([750_000]);
    expect(screen.text()).toContain('= $1.50');
  });

  test('empty is empty and not nothing', () => {
    const reported = open(500_000);
    screen.type('Grant', '');
    expect(reported).toEqual(['']);
    expect(screen.text()).not.toContain('=');
  });

  test('an offered amount is taken as it is', () => {
    const reported = open('', { presets: [500_000, 5_000_000] });
    screen.press('$10.00');
    expect(reported).toEqual([5_000_000]);
  });

  test('a change of a balance may be less than nothing, an amount may not', () => {
    expect(open('', { isSigned: true })).toEqual([]);
    screen.type('Grant', '-2');
    expect(screen.field('Grant').value).toBe('-2');
    screen.leave();
    const reported = open('');
    screen.type('Grant', '-2');
    expect(reported.every((units) => units === '' || units >= 0)).toBe(true);
  });
});

describe('expiry-field', () => {
  const shortcuts = [{ name: 'day', label: '1 day', seconds: 86_400 }];
  const open = (first: number) =>
    hold(first, (value, onChange) => (
      <ExpiryField
        label="Expires"
        value={value}
        onChange={onChange}
        error={undefined}
        neverLabel="Never"
        zoneText="Zone"
        shortcuts={shortcuts}
      />
    ));

  test('never has no moment; a shortcut is counted from now', () => {
    const reported = open(-1);
    expect(document.querySelector('input[type=datetime-local]')).toBeNull();
    const before = Math.floor(Date.now() / 1000);
    screen.press('1 day');
    const [end = 0] = reported;
    expect(end - before).toBeGreaterThanOrEqual(86_400);
    expect(end - before).toBeLessThan(86_460);
    expect(document.querySelector('input[type=datetime-local]')).not.toBeNull();
  });

  test('a moment is typed, cleared it is never', () => {
    const reported = open(1_770_000_000);
    screen.type('Expires', '2031-05-06T07:08');
    expect(momentText(reported[0])).toBe('2031-05-06T07:08');
    screen.type('Expires', '');
    expect(reported.at(-1)).toBe(-1);
  });

  test('a moment comes back as it was written', () => {
    screen = drawScreen(null);
    for (const text of ['2026-01-01T00:00', '2028-02-29T23:59']) expect(momentText(momentOf(text))).toBe(text);
    expect(momentOf('yesterday')).toBeUndefined();
  });
});

describe('secret-field', () => {
  const open = (isSet: boolean) =>
    hold<string | undefined>(undefined, (value, onChange) => (
      <SecretField label="Secret" isSet={isSet} value={value} onChange={onChange} placeholder="paste it" />
    ));

  test('one that is set shows no field until it is to be replaced, and can be kept after all', () => {
    const reported = open(true);
    expect(document.querySelector('input')).toBeNull();
    screen.press('Replace');
    screen.type('Secret', 'new');
    expect(reported).toEqual(['', 'new']);
    screen.press('Keep the present one');
    expect(reported.at(-1)).toBeUndefined();
    expect(document.querySelector('input')).toBeNull();
  });

  test('one that is not set is simply typed', () => {
    const reported = open(false);
    screen.type('Secret', 'first');
    expect(reported).toEqual(['first']);
    expect(screen.text()).not.toContain('Keep the present one');
  });
});

describe('json-field', () => {
  const open = (first: string, fields: object = {}) =>
    hold(first, (value, onChange) => <JsonField label="Mapping" value={value} onChange={onChange} {...fields} />);

  test('says at which line and column it stops being JSON, while it is typed', () => {
    open('');
    expect(screen.problem('Mapping')).toBe('');
    screen.type('Mapping', '{\n  "a": 1,\n  b\n}');
    expect(screen.problem('Mapping')).toBe('Not valid JSON: line 3, column 3');
    expect(screen.button('Format').disabled).toBe(true);
    screen.type('Mapping', '{"a":1}');
    expect(screen.problem('Mapping')).toBe('');
  });

  test('formats what is valid, and offers an example while there is nothing', () => {
    const reported = open('', { template: '{"from":"to"}' });
    screen.press('Fill in an example');
    expect(reported).toEqual(['{"from":"to"}']);
    screen.press('Format');
    expect(reported.at(-1)).toBe('{\n  "from": "to"\n}');
    expect([...document.querySelectorAll('button')].map((button) => button.textContent)).not.toContain('Fill in an example');
  });

  test.each([
    ['', undefined],
    ['  \n', undefined],
    ['{}', undefined],
    ['1', undefined],
    ['{"a":', { line: 1, column: 6 }],
    ['{\n"a":1\n"b":2}', { line: 3, column: 1 }],
    ['[1,\n2,\n]', { line: 3, column: 1 }],
  ])('%j breaks at %j', (text, place) => {
    screen = drawScreen(null);
    expect(jsonFault(text)).toEqual(place);
  });

  test('of a long text it is said that it breaks, not where', () => {
    open('['.padEnd(600_000));
    expect(screen.problem('Mapping')).toBe('Not valid JSON');
  });

  test('what the server said of it comes before', () => {
    open('{', { error: 'not a mapping' });
    expect(screen.problem('Mapping')).toBe('not a mapping');
  });
});
