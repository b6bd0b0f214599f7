// Every code of `shared/errors.ts` is reached by a call and reads as it should, in both languages. A code without a row fails the build.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ErrorCode, errors, type Language } from '#shared/errors.ts';
import { accountRefusals } from './refusals/account-refusals.ts';
import { type ConsoleDesk, openConsoleDesk } from './refusals/console-desk.ts';
import { deskRefusals } from './refusals/desk-refusals.ts';
import { organisationRefusals } from './refusals/organisation-refusals.ts';
import { optionRefusals } from './refusals/option-refusals.ts';
import { expectRefusal, type Refusal, type Reported } from './refusals/refusal.ts';
import { openRelayDesk, relayRefusals } from './refusals/relay-refusals.ts';
import { requestRefusals } from './refusals/request-refusals.ts';
import { signInRefusals } from './refusals/sign-in-refusals.ts';
import { taskRefusals } from './refusals/task-refusals.ts';
import { specifiedMessages, withoutMessage } from './refusals/specified-messages.ts';

const languages: readonly Language[] = ['zh', 'en'];
const consoleRows = {
  ...requestRefusals,
  ...accountRefusals,
  ...signInRefusals,
  ...optionRefusals,
  ...deskRefusals,
  ...organisationRefusals,
};
const rows: Record<ErrorCode, unknown> = { ...consoleRows, ...relayRefusals, ...taskRefusals };

function rowsOf<Desk>(table: Record<string, (desk: Desk) => Promise<Refusal | Reported>>) {
  // The tables' keys are codes, which `rows` says.
  return Object.entries(table) as [ErrorCode, (desk: Desk) => Promise<Refusal | Reported>][];
}

it('each code has one row, and each row a code', () => {
  const tables = [
    requestRefusals,
    accountRefusals,
    signInRefusals,
    optionRefusals,
    deskRefusals,
    organisationRefusals,
    relayRefusals,
    taskRefusals,
  ];
  const named = tables.flatMap((table) => Object.keys(table));
  expect(named.toSorted()).toEqual(Object.keys(errors).toSorted());
  expect(Object.keys(rows)).toHaveLength(named.length);
});

describe('the specified messages', () => {
  const shapeOf = (text: string) => text.replace(/\{\w+\}/g, '{}');
  const known = new Map<string, string>(Object.values(errors).map(({ zh, en }) => [shapeOf(zh), en]));

  it.each(specifiedMessages)('%s', (message) => {
    const english = known.get(shapeOf(message));
    expect(english, 'a code with this text').toBeTypeOf('string');
    if (/\p{Script=Han}/u.test(message) && !message.includes('ratio or price')) expect(english).not.toMatch(/\p{Script=Han}/u);
  });

  it('what is said otherwise here is not said as specified', () => {
    for (const [message, reason] of Object.entries(withoutMessage)) {
      expect(known.has(shapeOf(message)), message).toBe(false);
      expect(reason).not.toBe('');
    }
  });
});

describe.each(languages)('refusals in %s', (language) => {
  describe('of the console', () => {
    let desk: ConsoleDesk;
    beforeAll(async () => {
      desk = await openConsoleDesk(language);
    });
    afterAll(() => desk[Symbol.asyncDispose]());
    beforeEach(async () => {
      desk.services.rules = {};
      // One address does all of this.
      await desk.app.context.db.collection('limits').remove({});
    });
    afterEach(() => vi.restoreAllMocks());

    it.each(rowsOf<ConsoleDesk>(consoleRows))('%s', async (code, call) => expectRefusal(code, language, await call(desk)), 20_000);
  });

  describe('of the relay', { concurrent: true }, () => {
    const desk = openRelayDesk(language);
    it.each(rowsOf({ ...relayRefusals, ...taskRefusals }))('%s', async (code, call) => expectRefusal(code, language, await call(desk)));
  });
});
